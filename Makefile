# One Makefile, no recursion: every file is seen, every dependency is known.
# Variants live side by side:  make                              -> build/release
#                              make SAN=address,undefined check  -> build/san-address,undefined
PREFIX  ?= /usr
DESTDIR ?=
PKG_CONFIG ?= pkg-config

SAN ?=
O   := build/$(if $(SAN),san-$(SAN),release)

CC       ?= cc
CFLAGS   ?= $(if $(SAN),-O1,-O2) -g
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wno-unused-parameter -Wno-missing-field-initializers
# Where git says nothing, as to a root who does not own the checkout, it is what was built before.
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || cat '$O/version' 2>/dev/null || echo unknown)
YANG_DIR ?= $(PREFIX)/share/autofbf/yang

# ---- what the programs are made of; nothing else lists files -------------------------------------
# Modules that only work together:
profile    := profile profile_check profile_policy profile_nat profile_nat_pool profile_nat_clash nat
layout     := layout layout_space layout_base layout_tree layout_split layout_standby apportion
load       := profile_yang nat_cover nat_rules profile_tree tree_sort profile_text profile_fault profile_file disk_file
health     := health health_peer health_member health_wait health_pool health_table health_inherit
guard      := guard guard_hold guard_loss guard_reason
reply      := junos_reply junos_reply_xml junos_reply_grammar junos_reply_build junos_reply_show
sshlink    := sshlink sshlink_login hostkey hello
sources    := sources sources_bmp sources_syslog sources_tcp sources_common
router     := router router_names router_session router_edit router_read router_watch router_ask
alarm      := alarm alarm_kind
northbound := northbound northbound_session northbound_peer northbound_rpc northbound_read northbound_query \
              northbound_apply northbound_nat northbound_plan northbound_plan_profile northbound_plan_health \
              northbound_events northbound_why northbound_layout northbound_put northbound_kpi northbound_state \
              northbound_envelope

base  := prefix mtime error log layout_id
core  := complaint event $(profile) listset $(layout) nat_cover nat_rules plan capacity tolerance nat_load moves whatif $(health) $(guard) \
              signal_route \
              $(alarm) bmp syslogmsg kpi
edge  := profile_file disk_file dir_lock drift framing $(reply) junos_edit $(sshlink) transaction profile_yang profile_tree tree_sort \
              profile_text profile_fault state_file history status
shell := $(sources) $(router) $(northbound) agent_profile agent_apply agent_apply_note agent_refuse \
              agent_alarm agent_condition agent_decide agent_record agent_poll agent_watch agent_nat agent_status \
              agent_operate agent_kpi agent_kpi_status agent_proof agent_load agent main
# What the agent shares with its programs:
cli_agent    := $(base) event $(profile) listset $(layout) moves nat_load $(load)
decode_agent := $(base) event listset bmp syslogmsg framing $(reply)
publish_agent := $(cli_agent) framing hello
labrouter_agent := prefix mtime error log listset framing
probe_agent  := prefix mtime error log

agentd_objs    := $(patsubst %,$O/agent/%.o,$(base) $(core) $(edge) $(shell))
cli_objs       := $(patsubst %.c,$O/%.o,$(wildcard tools/cli/*.c)) $(patsubst %,$O/agent/%.o,$(cli_agent))
decode_objs    := $O/tools/decode.o $(patsubst %,$O/agent/%.o,$(decode_agent))
labrouter_objs := $(patsubst %.c,$O/%.o,$(wildcard tools/lab/router/*.c)) \
                  $(patsubst %,$O/agent/%.o,$(labrouter_agent))
publish_objs   := $(patsubst %.c,$O/%.o,$(wildcard tools/publish/*.c)) $(patsubst %,$O/agent/%.o,$(publish_agent))
probe_objs     := $(patsubst %.c,$O/%.o,$(wildcard tools/lab/probe/*.c)) $(patsubst %,$O/agent/%.o,$(probe_agent))
programs := $O/autofbfd $O/autofbf $O/autofbf-decode $O/autofbf-publish $O/labrouter $O/probe

agentd_pkgs    := libyang libxml-2.0 libssh libcrypto libevent_core libbsd-overlay json-c
cli_pkgs       := libxml-2.0 libyang libnetconf2 smartcols json-c libbsd-overlay libcrypto
decode_pkgs    := libxml-2.0 json-c libbsd-overlay libcrypto
labrouter_pkgs := libxml-2.0 libssh libnftables json-c libbsd-overlay
publish_pkgs   := libyang libxml-2.0 libevent_core libbsd-overlay libcrypto json-c
publish_libs   := -lnetsnmpagent -lnetsnmp
probe_pkgs     := libbsd-overlay

# ---- which modules each test links: the list is the proof that the core stands alone -------------
test_prefix      := prefix
test_listset     := listset prefix error
test_layout      := $(layout) layout_id $(profile) listset prefix error
test_layout_properties := $(test_layout)
test_layout_reference := $(test_layout)
test_layout_split := $(test_layout)
test_layout_json := $(test_layout)
$O/tests/test_layout_json: $O/tools/cli/layout_json.o
test_compare     := $(test_layout)
$O/tests/test_compare: $(patsubst %,$O/tools/cli/%.o,layout_compare layout_read layout_json)
test_whatif      := whatif moves plan $(test_layout)
test_drift       := drift prefix error
test_plan        := plan $(test_layout)
test_plan_pieces := $(test_plan)
test_kpi         := kpi
test_load        := agent_load agent_proof agent_kpi kpi $(alarm) $(reply) $(test_layout)
test_capacity    := capacity $(test_layout)
test_nat_load    := nat_load nat_rules $(test_layout)
test_tolerance   := tolerance capacity $(test_layout)
test_profile_nat := $(profile) prefix error
test_nat         := nat_cover nat_rules $(test_layout)
test_profile     := $(profile) prefix error
test_profile_policy := $(profile) prefix error
test_profile_yang := $(load) $(test_layout)
test_router_config := $(load) $(test_layout)
lab_conf         := conf conf_select memtext
$O/tests/test_router_config: $(patsubst %,$O/tools/cli/%.o,router_config router_steering router_signal router_nat config_writer) $(patsubst %,$O/tools/lab/router/%.o,$(lab_conf))
test_profile_moves := moves $(load) $(test_layout)
$O/tests/test_profile_moves: $(patsubst %,$O/tools/cli/%.o,profile_edit profile_edit_nat profile_spot json_edit text_diff router_config router_steering router_signal router_nat config_writer) $(patsubst %,$O/tools/lab/router/%.o,$(lab_conf))
test_health      := $(health) event $(profile) prefix error
test_health_pool := $(test_health)
test_guard       := $(guard) $(test_health)
test_orders      := $(health) $(guard) event $(test_layout)
test_inherit     := signal_route listset $(test_guard)
test_signal_route := signal_route $(test_layout)
test_alarm       := $(alarm) error
test_bmp         := bmp event prefix
test_syslogmsg   := syslogmsg event prefix
test_framing     := framing error
test_junos_reply := $(reply) listset prefix error
test_junos_edit  := junos_edit prefix error
test_state_file  := state_file disk_file error mtime
test_history     := history error mtime
test_dir_lock    := dir_lock error
test_log         := log mtime error
test_sources     := $(sources) complaint bmp syslogmsg event $(profile) log prefix mtime error
test_northbound  := $(northbound) complaint $(alarm) status history framing plan capacity tolerance nat_load moves whatif $(health) $(guard) \
              event router_names log mtime $(load) $(test_layout) kpi
test_northbound_nat := $(test_northbound)
test_northbound_state := $(test_northbound)
test_northbound_peers := $(test_northbound)
test_northbound_places := $(filter-out northbound_peer,$(test_northbound))
test_northbound_read := $(test_northbound)
test_northbound_stream := $(test_northbound)
test_northbound_plan := $(test_northbound)
test_why         := northbound_why history mtime $(test_layout)
test_status      := status $(alarm) error
test_screen      := $(load) $(test_layout)
screen           := screen screen_impact screen_blind screen_footer screen_next screen_policy screen_element screen_name \
              screen_kpi screen_nat screen_alarms tree
$O/tests/test_screen: $(patsubst %,$O/tools/cli/%.o,$(screen))
trace            := trace_texts trace_xml trace_config trace_read trace_read_filter trace_routes trace_filter \
              trace_names trace_walk trace_nat trace_judge
test_trace       := $(load) $(test_layout)
test_trace_nat   := $(test_trace)
$O/tests/test_trace_nat: $(patsubst %,$O/tools/cli/%.o,$(trace) trace_agent trace_report $(screen) router_config router_steering router_signal router_nat config_writer)
test_trace_layout := plan nat_cover nat_rules $(test_layout)
$O/tests/test_trace_layout: $(patsubst %,$O/tools/cli/%.o,$(trace) router_config router_steering router_signal router_nat config_writer)
$O/tests/test_trace: $(patsubst %,$O/tools/cli/%.o,$(trace) trace_agent trace_report $(screen))
test_sshlink     := $(sshlink) framing prefix mtime error log
test_transaction := transaction
test_router      := $(router) transaction $(sshlink) framing $(reply) junos_edit plan log mtime $(test_layout)
test_router_reads := $(test_router)
test_ranges      := prefix error
test_meters      := mtime error
test_nftext      := prefix error
test_lab_policy  := prefix error
test_publish_mib := $(cli_agent)
$O/tests/test_publish_mib: $(patsubst %,$O/tools/publish/%.o,mib mib_tables mib_value node)
test_publish_alarms := $(cli_agent)
$O/tests/test_publish_alarms: $(patsubst %,$O/tools/publish/%.o,alarms node)
test_publish_metrics := $(cli_agent)
$O/tests/test_publish_metrics: $(patsubst %,$O/tools/publish/%.o,metrics metrics_table node)
$O/tests/test_http_request: $O/tools/publish/http_request.o
test_pkgs        := cmocka $(agentd_pkgs)

fuzz_compare     := $(test_compare)
fuzz_bmp         := bmp event prefix
fuzz_syslogmsg   := syslogmsg event prefix
fuzz_framing     := framing error
fuzz_junos_reply := $(reply) listset prefix error
fuzz_northbound  := $(test_northbound)
fuzz_trace       := mtime $(test_trace)
fuzz_profile     := $(load) $(test_layout)

tests   := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))
fuzzers := $(patsubst tests/fuzz_%.c,%,$(wildcard tests/fuzz_*.c))

# ---- rules ---------------------------------------------------------------------------------------
ALL_CFLAGS = -std=gnu11 $(WARN) $(if $(WERROR),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer) \
             -MMD -MP -iquote agent -DAUTOFBF_VERSION='"$(VERSION)"' -DAUTOFBF_YANG_DIR='"$(YANG_DIR)"' \
             $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
PKG_CFLAGS = $(shell $(PKG_CONFIG) --cflags libxml-2.0 libbsd-overlay json-c 2>/dev/null)
libs = $(shell $(PKG_CONFIG) --libs $1)

V ?= 0
Q := $(if $(filter 1,$V),,@)
say = $(if $(Q),@printf '  %-5s %s\n' '$1' '$2')

.DEFAULT_GOAL := all
deps:      ## install missing packages (as root), or print the command
	@tools/deps build
deps-monitoring deps-fuzz deps-lint deps-fresh: deps-%:
	@tools/deps build $*
deps-monitoring: deps # one after the other: apt has a lock

all: $(programs)   ## build the daemon, the tools and the lab

define link_rule
$O/$1: $($2_objs)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $($2_libs) $$(call libs,$($2_pkgs))
endef
$(eval $(call link_rule,autofbfd,agentd))
$(eval $(call link_rule,autofbf,cli))
$(eval $(call link_rule,autofbf-decode,decode))
$(eval $(call link_rule,autofbf-publish,publish))
$(eval $(call link_rule,labrouter,labrouter))
$(eval $(call link_rule,probe,probe))

$O/%.o: %.c | deps
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Objects of the files that name a macro: they are made anew when it says something else.
users_of = $(patsubst %.c,$O/%.o,$(shell grep -lr --include='*.c' $1 agent tools))
# Where things are installed is compiled in and written into units and pages: another PREFIX makes those anew.
units := $O/dist/autofbf.service $O/dist/autofbf-publish.service
pages := $(addprefix $O/man/,autofbf.1 autofbf-decode.1 autofbf-json.5 autofbf-profile.5 autofbfd.8 autofbf-publish.8)
$O/prefix: always
	@mkdir -p $(@D)
	@echo '$(PREFIX) $(YANG_DIR)' | cmp -s - $@ || echo '$(PREFIX) $(YANG_DIR)' > $@
$(call users_of,AUTOFBF_YANG_DIR): $O/prefix
# So is the version: programs of one build tell the same one.
$O/version: always
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@
$(call users_of,AUTOFBF_VERSION): $O/version
$(units) $(pages): $O/%: tools/% $O/prefix
	@mkdir -p $(@D)
	@sed 's#/usr/\(sbin\|share\)/#$(PREFIX)/\1/#' $< > $@

define test_rule
$O/tests/test_$1: $O/tests/test_$1.o $(patsubst %,$O/agent/%.o,$(test_$1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(call libs,$(test_pkgs))
endef
$(foreach t,$(tests),$(eval $(call test_rule,$t)))
# These test parts of labrouter.
$O/tests/test_ranges: $O/tools/lab/router/ranges.o
$O/tests/test_meters: $(patsubst %,$O/tools/lab/router/%.o,meters netdev)
$O/tests/test_nftext: $(patsubst %,$O/tools/lab/router/%.o,nftext ranges filter filter_match filter_routes xmlwalk memtext)
$O/tests/test_lab_policy: $(patsubst %,$O/tools/lab/router/%.o,policy policy_from routes frr_export xmlwalk memtext)
$O/tests/test_router $O/tests/test_router_reads: | $O/labrouter # their peer

# An agent and a router whose clock a test can put forward.
ahead := $O/tests/ahead/autofbfd $O/tests/ahead/labrouter
$O/tests/ahead/autofbfd: $(agentd_objs) $O/tests/ahead/clock.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(agentd_pkgs))
$O/tests/ahead/labrouter: $(labrouter_objs) $O/tests/ahead/clock.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(labrouter_pkgs))

# An agent that is killed in the middle of what a test chooses.
mortal := $O/tests/mortal/autofbfd
$(mortal): $(agentd_objs) $O/tests/mortal/death.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(agentd_pkgs))

# libFuzzer targets are built by clang, apart from everything else.
F := build/fuzz
$F/%.o: %.c | deps-fuzz
	$(call say,FUZZC,$@)
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -iquote agent \
	    -DAUTOFBF_YANG_DIR='"$(YANG_DIR)"' $(PKG_CFLAGS) -c -o $@ $<
define fuzz_rule
$F/fuzz_$1: $F/tests/fuzz_$1.o $(patsubst %,$F/agent/%.o,$(fuzz_$1))
	$$(call say,FUZZL,$$@)
	$$(Q)clang -fsanitize=fuzzer,address,undefined -o $$@ $$^ $$(call libs,$(agentd_pkgs))
endef
$(foreach t,$(fuzzers),$(eval $(call fuzz_rule,$t)))
$F/fuzz_http_request: $F/tools/publish/http_request.o
$F/fuzz_trace: $(patsubst %,$F/tools/cli/%.o,$(trace) trace_agent trace_report $(screen))
$F/fuzz_compare: $(patsubst %,$F/tools/cli/%.o,layout_compare layout_read)

# ---- what people type ----------------------------------------------------------------------------
test_programs := $(tests:%=$O/tests/test_%) $(ahead) $(mortal)
kinds := unit run $(if $(SAN),,lab)

check: $(programs) $(test_programs) layers | deps-monitoring   ## all tests; SAN=address,undefined: unit and simulate tests
	$(if $(SAN),@echo "With SAN the lab cases are left out: they run in a plain 'make check'.")
	@tests/run-suite $O $(kinds)
check-long: $(programs) $(test_programs)   ## the long properties: 100,000 event orders
	@CHECK_LONG=1 tests/run-suite $O unit
layers: $(agentd_objs)   ## includes go only downwards, the core stays pure
	@tools/check-layers tools/layers $O/agent

demo: $(programs)   ## the main job before your eyes (SIMULATE=1: without namespaces and FRR)
	@tools/lab/demo $(if $(SIMULATE),--simulate) --build $O $(if $(PROFILE),--profile $(PROFILE))
lab-up: $(programs)   ## lab with the agent, to play with; says how to use it
	@tools/lab/rehearse up --build $O $(if $(PROFILE),--profile $(PROFILE))
lab-down:   ## end that lab
	@tools/lab/rehearse down

c_files := $(shell find agent tools tests -name '*.[ch]' 2>/dev/null)
lint: | deps-lint   ## formatter, cppcheck, yanglint, MIB, manual pages
	clang-format --dry-run -Werror $(c_files)
	cppcheck -q --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 \
	    --library=tests/cppcheck-queue.cfg --suppressions-list=tests/cppcheck-suppressions -iquote agent -I agent -I tools/cli -I tools/lab/router \
	    -DAUTOFBF_VERSION='""' -DAUTOFBF_YANG_DIR='""' agent tools
	yanglint -p yang yang/autofbf.yang
	tests/lint-mib
	@for page in tools/man/*.[1-8]; do mandoc -Tlint -W warning $$page || exit 1; done

FUZZ_SECONDS ?= 20
fuzz: $(fuzzers:%=$F/fuzz_%)   ## run every fuzz target for FUZZ_SECONDS each
	@for f in $(fuzzers); do mkdir -p $F/corpus/$$f; echo "fuzz_$$f"; \
	    $F/fuzz_$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
	        -artifact_prefix=$F/ $F/corpus/$$f tests/fixtures/$$f || exit 1; done
fuzz-build: $(fuzzers:%=$F/fuzz_%)
fuzz-replay: $(fuzzers:%=$F/fuzz_%)   ## feed the seeds once, no search
	@for f in $(fuzzers); do \
	    if $F/fuzz_$$f -runs=0 tests/fixtures/$$f > $F/replay.log 2>&1; then echo "ok fuzz_$$f corpus"; \
	    else cat $F/replay.log; echo "not ok fuzz_$$f corpus"; fi; done

bench_layout_objs := $O/tests/bench/bench_layout.o $(patsubst %,$O/agent/%.o,$(test_plan))
$O/bench_layout: $(sort $(bench_layout_objs))
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(call libs,$(test_pkgs))
bench: $(programs) $O/bench_layout   ## layout times, reaction, memory, idle CPU
	@$O/bench_layout
	@tests/bench/reaction --build $O

update-ok: $(programs) $O/tests/test_screen   ## renew the expected outputs (.ok) from what the programs say now
	@for t in tests/run/*.sh $O/tests/test_screen; do UPDATE_OK=1 BUILD=$O $$t > /dev/null 2>&1 || exit 1; done
fresh: | deps-fresh   ## README's two commands on a fresh Debian 12 in build/fresh
	@tests/fresh build/fresh

install: $(programs) $(units) $(pages)   ## install under $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(YANG_DIR) \
	    $(DESTDIR)$(PREFIX)/share/doc/autofbf/profiles $(DESTDIR)$(PREFIX)/lib/systemd/system \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 755 $O/autofbfd $O/autofbf-publish $(DESTDIR)$(PREFIX)/sbin
	install -m 755 $O/autofbf $O/autofbf-decode $(DESTDIR)$(PREFIX)/bin
	install -m 644 yang/*.yang $(DESTDIR)$(YANG_DIR)
	install -m 644 profiles/* $(DESTDIR)$(PREFIX)/share/doc/autofbf/profiles
	install -m 644 $(units) $(DESTDIR)$(PREFIX)/lib/systemd/system
	install -D -m 644 snmp-mib/AUTOFBF-MIB.txt $(DESTDIR)$(PREFIX)/share/snmp/mibs/AUTOFBF-MIB.txt
	install -m 644 tools/monitoring/autofbf.rules.yml $(DESTDIR)$(PREFIX)/share/doc/autofbf
	install -D -m 644 tools/dist/autofbf.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/autofbf.conf
	install -D -m 644 tools/dist/autofbf.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/autofbf.conf
	install -m 644 tools/dist/autofbf.bash-completion $(DESTDIR)$(PREFIX)/share/bash-completion/completions/autofbf
	install -m 644 tools/dist/autofbf-publish.bash-completion $(DESTDIR)$(PREFIX)/share/bash-completion/completions/autofbf-publish
	for page in $(pages); do \
	    install -D -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; done
# A package does this in its own scripts.
	if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then \
	    systemd-sysusers $(PREFIX)/lib/sysusers.d/autofbf.conf && \
	    systemd-tmpfiles --create $(PREFIX)/lib/tmpfiles.d/autofbf.conf && systemctl daemon-reload; fi
clean:   ## remove build/
	rm -rf build
help:   ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n",$$1,$$2}' $(MAKEFILE_LIST)

.PHONY: always fuzz-build all deps deps-monitoring deps-fuzz deps-lint deps-fresh check check-long layers demo lab-up lab-down lint fuzz \
        fuzz-replay bench update-ok fresh install clean help
.SECONDARY:
-include $(shell find build -path build/fresh -prune -o -type f -name '*.d' -print 2>/dev/null)
