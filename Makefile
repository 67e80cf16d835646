# Makefile of ringsim. `make help` lists the targets; everything built goes into build/, but for the
# program itself, ./ringsim. What is here builds the program; mk/ has the rest, a file a subject.
#
#   - Adding a file or a folder needs no edit here: the sources of sim/, nccl/, viz/, gpu/ and cli/ are found
#     wherever they lie in their room, and so are the tests: test_*.c, cmd/*.sh, fuzz_*.c, bench_*.c.
#     Only what needs a library of its own is named below, as a folder: viz/canvas/, viz/window/,
#     gpu/cuda/, gpu/nccl/, gpu/mpi/, and in tests/ viz/canvas/, gpu/device/, hour/ and the emulated device.
#   - canvas and window become a module, ringsim-window.so, which the program loads when it opens a
#     window or draws a picture: who only counts does not wait for SDL2 and pango. gpu/mpi/ is
#     another, ringsim-mpi.so, which only the ranks of a real run load. CUDA's runtime is linked
#     statically, and NCCL loaded where a run asks for it: the program starts without either.
#   - What the machine offers is detected once (tests/tools/detect) and kept in build/config.mk; while
#     something is missing, the next make looks again. The code sees it in build/config.h, which only
#     those files include that ask: they alone are compiled anew when it changes.
#   - Another build beside the usual one: `make B=build/other CC=clang SAN=address all`. It has its
#     own configuration, its program is build/other/ringsim, and it never touches ./ringsim. With
#     SHARE=build it takes what build/ has compiled with the same flags, and compiles who asks.
#
#   CC=clang          another compiler             CURSES=0 CJSON=0 GETTEXT=0  do without a library
#   OPT=-O0           another optimisation level   MD4C=0 EXPAT=0 ZLIB=0 CUDA=0 NCCL=0 MPI=0 SDL=0  (=1: insist)
#   WERROR=1          warnings are errors          SAN=address                 sanitizers, and what fuzzing counts (clang)
#   V=1               show the commands            APT=0                       never install anything
#   GPUS=all          machine code for GPUs of every kind, not only for those that are here

VERSION := 0.3.0
B ?= build
SHARE ?= $(B)
OPT ?= -O2
PREFIX ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC := cc
endif
JOBS := $(or $(JOBS),$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
SUB = $(MAKE) --no-print-directory
BUILD = $(SUB) $(PARALLEL)
Q := $(if $(V),,@)
hash := \#
comma := ,
# tests/tools/profile takes the time of each recipe.
ifneq ($(PROFILE),)
SHELL := $(CURDIR)/tests/tools/profile
endif
export APT JOBS

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

# These goals run other makes, or build nothing: they must work without a compiler.
RUNNERS := help demo test page check check-% fuzz docs layers po clean uninstall handout gradescope workflow \
           first-hour gpu-report deb dist release size monkey-browsers bench-page
.PHONY: FORCE all demo clean help

# ---------------------------------------------------------------------------- what is built of what

PROGRAM := $(if $(filter build,$(B)),ringsim,$(B)/ringsim)
SOURCES := $(sort $(shell find sim nccl viz gpu cli tests -name submissions -prune -o -name '*.c' -print -o -name '*.cu' -print))
# Those that ask what the machine has.
ASKING := $(shell grep -rlF '$(hash)include "config.h"' --include='*.c' sim nccl viz gpu cli tests)
# The sources below these folders; those of them whose file name begins so: $(call named,test_,SOURCES).
below = $(filter $(1:%=%/%),$(SOURCES))
named = $(foreach f,$2,$(if $(filter $(addsuffix %,$1),$(notdir $f)),$f))
# The objects of sources.
objects = $(patsubst %.c,$(B)/%.o,$(filter $(ASKING),$1)) $(patsubst %.c,$(SHARE)/%.o,$(filter-out $(ASKING) %.cu,$1))
IN_WINDOW := $(call below,viz/canvas viz/window)
IN_PAGE := $(call below,viz/web cli/web)
IN_CUDA := $(call below,gpu/cuda)
IN_NCCL := $(call below,gpu/nccl)
IN_MPI := $(call below,gpu/mpi)
CATALOGUES := $(patsubst assets/po/%.po,$(B)/locale/%/LC_MESSAGES/ringsim.mo,$(wildcard assets/po/*.po))

# ------------------------------------------------------------------------------ what the machine has

ifneq ($(filter-out $(RUNNERS),$(or $(MAKECMDGOALS),all)),)
ifeq ($(filter-out all,$(MAKECMDGOALS)),)
MAKEFLAGS := $(MAKEFLAGS) $(PARALLEL)
endif
# The switches that the finding depends on; detect writes them back as CONFIG_OF.
SWITCHES := SAN=$(SAN) $(foreach s,CURSES CJSON MD4C EXPAT ZLIB SECCOMP GETTEXT CUDA NCCL MPI SDL NVCC,$s=$($s))
WANTED := $(strip CC=$(CC) $(SWITCHES))
NVCCS = $(shell command -v nvcc $(wildcard $(CUDA_HOME)/bin/nvcc /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc))
include $(B)/config.mk
ifneq ($(CONFIG_OF)$(MISSING)$(if $(NO_NVCC),$(NVCCS)),$(WANTED))
$(B)/config.mk: FORCE
endif
$(B)/config.mk: tests/tools/detect tests/tools/tries
	@tests/tools/detect $(B) 'CC=$(CC)' $(SWITCHES)

endif

# Another build's objects serve where it has made them the same way.
FLAGS := $(strip $(CC) $(COMPILER) $(OPT) $(CFLAGS) $(CPPFLAGS) $(WERROR) $(SAN) $(HARDEN_CFLAGS))
ifneq ($(SHARE),$(B))
ifneq ($(shell cat $(SHARE)/flags 2>/dev/null),$(FLAGS))
override SHARE := $(B)
endif
endif
# Machine code for the GPUs of this machine, or for all that nvcc knows of (GPUS=all); each build shares it.
GPUS ?= here
KERNELS := build/cuda/$(GPUS)
# The window and its pictures, CUDA, NCCL and MPI, where they are.
GUI := $(if $(filter 1,$(HAVE_SDL)),$(call objects,$(IN_WINDOW)))
CUDA_PART := $(if $(filter 1,$(HAVE_CUDA)),$(call objects,$(IN_CUDA)) \
               $(patsubst %.cu,$(KERNELS)/%.o,$(filter %.cu,$(IN_CUDA))))
NCCL_PART := $(if $(filter 1,$(HAVE_NCCL)),$(call objects,$(IN_NCCL)))
MPI_PART := $(if $(filter 1,$(HAVE_MPI)),$(call objects,$(IN_MPI)))
# What the code is told, in config.h: $(call config,NAMES OF WHAT IS THERE,PREFIX).
config = $(foreach h,$1,'$(hash)define HAVE_$h 1') '$(hash)define RINGSIM_VERSION "$(VERSION)"' \
         $(foreach d,LOCALE:share/locale MODULE:lib/ringsim LESSON:share/ringsim/lessons ASSET:share/ringsim/assets,\
           '$(hash)define RINGSIM_$(firstword $(subst :, ,$d))DIR "$2/$(lastword $(subst :, ,$d))"')
OFFERED := $(foreach s,CURSES CJSON MD4C EXPAT ZLIB SECCOMP GETTEXT SDL MPI CUDA NCCL,$(if $(filter 1,$(HAVE_$s)),$s))

# ---------------------------------------------------------------------------------------- the flags

include mk/flags.mk

# What is kept of them in files: what depends on one is made again when it changes.
ifneq ($(origin CONFIG_OF),undefined)
# Writes words, a line each, to a file if it holds others.
stamp = $(shell mkdir -p $(dir $1) && printf '%s\n' $2 | cmp -s - $1 || printf '%s\n' $2 >$1)
$(call stamp,$(B)/flags,'$(FLAGS)')
$(call stamp,$(B)/config.h,$(call config,$(OFFERED),$(PREFIX)))
$(if $(CUDA_PART),$(call stamp,$(KERNELS)/flags,'$(NVCC) $(NVCC_FLAGS) $(NVCC_CODE_$(GPUS))'))
-include $(shell find $(KERNELS) $(foreach b,$(sort $(B) $(SHARE)),$(addprefix $b/,sim nccl viz gpu cli tests device page)) -name '*.d' 2>/dev/null)
endif

# ---------------------------------------------------------------------------------------- the rules

# The libraries in link order, each only once it has sources. The program without its main() is one
# too: tests, benchmarks and fuzz targets link what they need of it.
SIM := $(call objects,$(call below,sim))
NCCL_ROOM := $(call objects,$(call below,nccl))
VIZ := $(call objects,$(filter-out $(IN_WINDOW) $(IN_PAGE),$(call below,viz)))
CLI := $(call objects,$(filter-out $(IN_PAGE),$(call below,cli)))
GPU := $(call objects,$(filter-out $(IN_CUDA) $(IN_NCCL) $(IN_MPI),$(call below,gpu))) $(CUDA_PART) $(NCCL_PART)
SIM_LIB := $(B)/libringsim.a
NCCL_LIB := $(B)/libringsim_nccl.a
VIZ_LIB := $(if $(VIZ),$(B)/libringsim_viz.a)
CLI_LIB := $(if $(CLI),$(B)/libringsim_cli.a)
GPU_LIB := $(B)/libringsim_gpu.a
GUI_LIB := $(if $(GUI),$(B)/libringsim_gui.a)
LIBS := $(CLI_LIB) $(VIZ_LIB) $(GPU_LIB) $(NCCL_LIB) $(SIM_LIB)
MODULES_BUILT := $(if $(GUI),$(B)/ringsim-window.so) $(if $(MPI_PART),$(B)/ringsim-mpi.so)
# A library is made again when its list of objects changes, and so is what is linked when its options do.
ifneq ($(origin CONFIG_OF),undefined)
$(call stamp,$(B)/objects,'$(strip $(SIM) $(NCCL_ROOM) $(VIZ) $(GUI) $(GPU) $(MPI_PART) $(CLI))')
$(call stamp,$(B)/links,'$(strip $(LINK) $(LIBRARIES) $(GUI_LIBRARIES))')
endif

all: $(filter $(KERNELS)/%,$(CUDA_PART)) $(SIM_LIB) $(NCCL_LIB) $(VIZ_LIB) $(GPU_LIB) $(if $(CLI),$(PROGRAM)) $(MODULES_BUILT) $(if $(filter 1,$(HAVE_GETTEXT)),$(CATALOGUES)) ## build what this machine can (the default)
	@$(if $(LEFT_OUT),cat $(B)/left-out,:)

said = $(if $(V),,@echo "  $1")
define compile
	@mkdir -p $(@D)
	$(call said,$(notdir $(CC)) $<)
	$(Q)$(COMPILE) -c $< -o $@
endef
$(B)/%.o: %.c $(B)/flags
	$(compile)
ifneq ($(SHARE),$(B))
$(SHARE)/%.o: %.c $(SHARE)/flags
	$(compile)
endif

# nvcc takes seconds for each kind of GPU.
$(KERNELS)/%.o: %.cu $(KERNELS)/flags
	@mkdir -p $(@D)
	$(call said,nvcc $<)
	$(Q)$(COMPILE_CU) --threads $(JOBS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@.new && mv $@.new $@

define archive
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)
endef
$(SIM_LIB): $(SIM) $(B)/objects
	$(archive)
$(NCCL_LIB): $(NCCL_ROOM) $(B)/objects
	$(archive)
$(B)/libringsim_viz.a: $(VIZ) $(B)/objects
	$(archive)
$(B)/libringsim_gui.a: $(GUI) $(B)/objects
	$(archive)
$(GPU_LIB): $(GPU) $(B)/objects
	$(archive)
$(B)/libringsim_cli.a: $(filter-out $(B)/cli/main.o,$(CLI)) $(B)/objects
	$(archive)

$(PROGRAM): $(B)/cli/main.o $(LIBS) $(B)/links
	$(call said,link $@)
	$(Q)$(LINK) $(B)/cli/main.o $(CLI_LIB) $(SHOWN_LIBS) $(LIBRARIES) -o $@

$(B)/ringsim-window.so: $(GUI) $(B)/objects $(B)/links
	$(call said,link $@)
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(GUI_LIBRARIES) -lm -o $@

$(B)/ringsim-mpi.so: $(MPI_PART) $(B)/objects $(B)/links
	$(call said,link $@)
	$(Q)$(LINK_MODULE) $(filter %.o,$^) $(MPI_LIBS) -lm -o $@

$(B)/locale/%/LC_MESSAGES/ringsim.mo: assets/po/%.po
	@mkdir -p $(@D)
	$(Q)msgfmt -o $@ $<

include mk/device.mk mk/tests.mk mk/check.mk mk/hour.mk mk/page.mk mk/package.mk mk/texts.mk

# ------------------------------------------------------------------------------- what people type

demo: ## install what the walk-through needs, build, and walk round the ring
	@tests/tools/need demo
	@$(BUILD) all
	./ringsim --gpus 5 --step

clean: ## remove everything built
	rm -rf build ringsim

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  switches: OPT=-O0 CC=clang V=1 APT=0 CURSES=0 ...; the head of the Makefile explains them"
