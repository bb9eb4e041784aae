# One Makefile, no recursion: every file is seen, every dependency is known.
# Variants live side by side:  make                              -> build/release
#                              make SAN=address,undefined check  -> build/san-address,undefined
PREFIX  ?= /usr
DESTDIR ?=
PKG_CONFIG ?= pkg-config

SAN ?=
O   := build/$(if $(SAN),san-$(SAN),release)

CC       ?= cc
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wundef -Wvla -Wformat=2 -Wno-unused-parameter -Wno-missing-field-initializers
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
YANG_DIR ?= $(PREFIX)/share/autofbf/yang

# ---- what the programs are made of; nothing else lists files -------------------------------------
base  := prefix mtime error log layout_id
core  := event profile listset apportion layout plan health guard bmp syslogmsg
edge  := framing junos_reply junos_edit sshlink profile_yang state_file history status
shell := sources router northbound agent main
# What the agent shares with its programs:
cli_agent    := $(base) event profile listset apportion layout profile_yang
decode_agent := $(base) event listset bmp syslogmsg framing junos_reply
labrouter_agent := prefix mtime error log listset framing
probe_agent  := prefix mtime error log

agentd_objs    := $(patsubst %,$O/agent/%.o,$(base) $(core) $(edge) $(shell))
cli_objs       := $(patsubst %.c,$O/%.o,$(wildcard tools/cli/*.c)) $(patsubst %,$O/agent/%.o,$(cli_agent))
decode_objs    := $O/tools/decode.o $(patsubst %,$O/agent/%.o,$(decode_agent))
labrouter_objs := $(patsubst %.c,$O/%.o,$(wildcard tools/lab/router/*.c)) \
                  $(patsubst %,$O/agent/%.o,$(labrouter_agent))
probe_objs     := $O/tools/lab/probe.o $(patsubst %,$O/agent/%.o,$(probe_agent))
programs := $O/autofbfd $O/autofbf $O/autofbf-decode $O/labrouter $O/probe

agentd_pkgs    := libyang libxml-2.0 libssh libcrypto libevent_core libbsd-overlay json-c
cli_pkgs       := libyang libnetconf2 smartcols json-c libbsd-overlay libcrypto
decode_pkgs    := libxml-2.0 json-c libbsd-overlay libcrypto
labrouter_pkgs := libxml-2.0 libssh libnftables json-c libbsd-overlay
probe_pkgs     := libbsd-overlay

# ---- which modules each test links: the list is the proof that the core stands alone -------------
test_prefix      := prefix
test_listset     := listset prefix error
test_layout      := layout apportion layout_id profile listset prefix error
test_layout_properties := $(test_layout)
test_plan        := plan $(test_layout)
test_profile     := profile prefix error
test_profile_yang := profile_yang profile layout_id prefix error
test_health      := health event profile prefix error
test_guard       := guard $(test_health)
test_orders      := health guard event $(test_layout)
test_bmp         := bmp event prefix
test_syslogmsg   := syslogmsg event prefix
test_framing     := framing error
test_junos_reply := junos_reply listset prefix error
test_junos_edit  := junos_edit junos_reply plan $(test_layout)
test_state_file  := state_file error mtime
test_history     := history error mtime
test_sources     := sources bmp syslogmsg event profile log prefix mtime error
test_northbound  := northbound status history state_file framing plan health guard event log mtime $(test_layout)
test_sshlink     := sshlink framing prefix mtime error log
test_pkgs        := cmocka $(agentd_pkgs)

fuzz_bmp         := bmp event prefix
fuzz_syslogmsg   := syslogmsg event prefix
fuzz_framing     := framing error
fuzz_junos_reply := junos_reply listset prefix error
fuzz_profile     := profile_yang profile layout_id prefix error

tests   := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))
fuzzers := $(patsubst tests/fuzz_%.c,%,$(wildcard tests/fuzz_*.c))

# ---- rules ---------------------------------------------------------------------------------------
ALL_CFLAGS = -std=gnu11 $(WARN) $(if $(WERROR),-Werror) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) \
             -MMD -MP -iquote agent -DAUTOFBF_VERSION='"$(VERSION)"' -DAUTOFBF_YANG_DIR='"$(YANG_DIR)"' \
             $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)
PKG_CFLAGS = $(shell $(PKG_CONFIG) --cflags libxml-2.0 libbsd-overlay json-c 2>/dev/null)
libs = $(shell $(PKG_CONFIG) --libs $1)

V ?= 0
Q := $(if $(filter 1,$V),,@)
say = $(if $(Q),@printf '  %-5s %s\n' '$1' '$2')

.DEFAULT_GOAL := all
all: $(programs)   ## build the daemon, the tools and the lab

define link_rule
$O/$1: $($2_objs)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(call libs,$($2_pkgs))
endef
$(eval $(call link_rule,autofbfd,agentd))
$(eval $(call link_rule,autofbf,cli))
$(eval $(call link_rule,autofbf-decode,decode))
$(eval $(call link_rule,labrouter,labrouter))
$(eval $(call link_rule,probe,probe))

$O/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

define test_rule
$O/tests/test_$1: $O/tests/test_$1.o $(patsubst %,$O/agent/%.o,$(test_$1))
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(call libs,$(test_pkgs))
endef
$(foreach t,$(tests),$(eval $(call test_rule,$t)))

# libFuzzer targets are built by clang, apart from everything else.
F := build/fuzz
$F/%.o: %.c
	$(call say,FUZZC,$@)
	@mkdir -p $(@D)
	$(Q)clang -std=gnu11 -g -O1 -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -iquote agent \
	    $(PKG_CFLAGS) -c -o $@ $<
define fuzz_rule
$F/fuzz_$1: $F/tests/fuzz_$1.o $(patsubst %,$F/agent/%.o,$(fuzz_$1))
	$$(call say,FUZZL,$$@)
	$$(Q)clang -fsanitize=fuzzer,address,undefined -o $$@ $$^ $$(call libs,$(agentd_pkgs))
endef
$(foreach t,$(fuzzers),$(eval $(call fuzz_rule,$t)))

-include $(shell find build -name '*.d' 2>/dev/null)
.SECONDARY:
