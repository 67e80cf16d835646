# The suites, benchmarks and fuzz targets, and what runs them.
#
#   - The test_*.c of a folder become one program, tests/sim/base/test_*.c build/tests/sim-base; Criterion
#     runs each test in a process of its own. Those in ALONE replace a function for themselves.
#   - Every other C file beside them is shared by all.

IN_TESTS := $(filter-out $(call below,tests/fake_cuda tests/fake_nccl),$(call below,tests))
# Let rs_alloc fail, which all of a program's suites call.
FAILING := $(addprefix tests/,cli/base/test_failing_memory.c gpu/job/test_allocations.c viz/stage/test_scene_allocations.c \
             nccl/hang/dumps/test_dumps_made.c nccl/hang/dumps/test_ras_cut.c gpu/device/test_device_memory.c)
# Replace other functions, of the C library, of SDL or of the program, for themselves.
ALONE := $(FAILING) $(addprefix tests/,cli/gil/test_gil_run.c cli/verify/test_verify_run.c sim/values/test_point.c \
           $(addprefix gpu/bootstrap/test_,failing_calls.c short_io.c tcp_addresses.c tcp_exchange.c) \
           $(addprefix gpu/process/test_,launch_environment.c local_exits.c pipe.c pipe_room.c serve.c spawn_words.c spawned.c) \
           $(addprefix gpu/device/test_device_,library.c machines.c) gpu/job/test_run_times.c \
           $(addprefix viz/window/test_gui_,keys.c window.c))
# Start Open MPI, through which a sanitizer sees in other ways (run-tests).
ALONE += tests/gpu/job/test_verify.c tests/gpu/job/test_verify_mpi.c
# Not without the window's libraries, or a C++ compiler.
NEEDY := $(if $(GUI),,$(call below,tests/viz/canvas tests/viz/window tests/window) tests/bench/bench_frame.c) \
         $(if $(filter 1,$(HAVE_CXX)),,$(call below,tests/gpu/device))
# SUITES="sim viz/stage": only those below these folders.
TEST_SOURCES := $(filter $(or $(SUITES:%=tests/%/%.c),%),$(filter-out $(NEEDY),$(call named,test_,$(IN_TESTS))))
BENCH_SOURCES := $(filter-out $(NEEDY),$(call named,bench_,$(IN_TESTS)))
FUZZ_SOURCES := $(call named,fuzz_,$(IN_TESTS))
programs = $(patsubst %.c,$(B)/%,$1)
BENCHES := $(call programs,$(BENCH_SOURCES))
FUZZERS := $(call programs,$(FUZZ_SOURCES))
# What drives a real window, or the one inside a process: plain programs, run by command tests.
DRIVERS := $(if $(GUI),$(call programs,$(call below,tests/window)))
HELPERS := $(call objects,$(filter-out $(NEEDY) $(call named,test_ bench_ fuzz_,$(IN_TESTS)) \
             $(call below,tests/window tests/web tests/hour tests/gpu/device),$(IN_TESTS)))
HELP_LIB := $(if $(HELPERS),$(B)/libtests.a)
DEVICE_HELP := $(call objects,$(filter-out $(TEST_SOURCES),$(call below,tests/gpu/device)))
ROOM_tests_bench = $(ROOM_tests) $(CUDA_CFLAGS)

# Of a folder's suites, those that a run is to have (LEFT_OUT names others): its program.
suites_in = $(filter-out $(ALONE) $(LEFT_OUT),$(foreach f,$(TEST_SOURCES),$(if $(filter $1,$(dir $f)),$f)))
program_of = $(B)/tests/$(subst /,-,$(patsubst tests/%/,%,$1))
FOLDERS := $(foreach d,$(sort $(dir $(TEST_SOURCES))),$(if $(call suites_in,$d),$d))
$(foreach d,$(FOLDERS),$(eval $(call program_of,$d): $(call objects,$(call suites_in,$d))))
TESTS_ALONE := $(call programs,$(filter-out $(LEFT_OUT),$(filter $(ALONE),$(TEST_SOURCES))))
$(foreach t,$(TESTS_ALONE),$(eval $t: $t.o))
TESTS := $(foreach d,$(FOLDERS),$(call program_of,$d)) $(TESTS_ALONE)
$(foreach p,$(BENCHES) $(FUZZERS) $(DRIVERS),$(eval $p: $p.o))
DEVICE_TESTS := $(filter $(B)/tests/gpu-device $(B)/tests/gpu/device/%,$(TESTS))

# A suite that is gone leaves its program.
$(TESTS): $(B)/suites
$(TESTS): $(B)/tests/support/lazy_git.o
$(TESTS): LINK_WITH = $(CRITERION_LIBS) $(CJSON_LIBS)
$(call programs,$(FAILING)): LINK_WITH += -Wl$(comma)--wrap=rs_alloc
# Its group stands before gpu's, all of which is linked where modules are built.
$(B)/tests/cli/verify/test_verify_run: LINK_WITH += $(if $(strip $(MODULES_BUILT)),-Wl$(comma)--allow-multiple-definition)
$(FUZZERS): LINK_WITH = -fsanitize=fuzzer
$(filter-out $(DEVICE_TESTS),$(TESTS)) $(BENCHES) $(FUZZERS) $(DRIVERS): $(HELP_LIB) $(GUI_LIB) $(LIBS) $(B)/links
	$(call said,link $@)
	$(Q)$(LINK) $(filter %.o,$^) $(HELP_LIB) $(GUI_LIB) $(LIBS) $(LINK_WITH) $(LIBRARIES) $(if $(GUI),$(GUI_LIBRARIES)) -o $@
$(DEVICE_TESTS): $(DEVICE_HELP) $(DEVICE_CLI) $(HELP_LIB) $(CLI_LIB) $(VIZ_LIB) $(NCCL_LIB) $(SIM_LIB) $(DEVICE_LIBS) $(DEVICE_NCCL) $(B)/links
	$(call said,link $@)
	$(Q)$(LINK) $(filter %.o,$^) $(HELP_LIB) $(CLI_LIB) $(VIZ_LIB) $(DEVICE_LINK) $(NCCL_LIB) $(SIM_LIB) $(LINK_WITH) $(DEVICE_LIBRARIES) -o $@
ifneq ($(origin CONFIG_OF),undefined)
$(call stamp,$(B)/helpers,'$(strip $(HELPERS))')
$(call stamp,$(B)/suites,'$(call named,test_,$(IN_TESTS))')
endif
$(B)/libtests.a: $(HELPERS) $(B)/helpers
	$(archive)

COMMAND_TESTS := $(wildcard tests/cmd/*.sh)

.PHONY: test tests run-tests run-suites benches fuzzers fuzz mutants wrong-answers bench bench-fidelity bench-gpu
test: ## install what the tests need, build, and run them all
	@tests/tools/need test
	@$(BUILD) run-tests
tests: all $(TESTS) $(DRIVERS) $(DEVICE_PROGRAM) $(PTX) ## build the test programs, without running them
	@:
benches: all $(BENCHES)
	@:
fuzzers: $(FUZZERS)
	@:
# Command tests wait most and last longest: they begin first.
run-tests: tests benches ## build and run all tests, installing nothing
	@tests/tools/run-tests $(B) $(COMMAND_TESTS) $(TESTS)
run-suites: all $(TESTS) $(if $(DEVICE_TESTS),$(DEVICE_PROGRAM)) ## build and run suites and command tests alone: SUITES="sim viz/stage" COMMAND_TESTS=tests/cmd/hang.sh
	@tests/tools/run-tests $(B) $(COMMAND_TESTS) $(TESTS)

FUZZ_SECONDS ?= 600
fuzz: ## run every fuzz target for FUZZ_SECONDS=600, with sanitizers
	@tests/tools/need fuzz
	@$(BUILD) $(SANITIZED) fuzzers
	@tests/tools/run-fuzz build/sanitized $(FUZZ_SECONDS) $(FUZZ_SOURCES:%.c=build/sanitized/%)

wrong-answers: ## grade wrong answers and right ones with many seeds: SEEDS=20 LABS="03 06" GRADE=--interpret
	@$(BUILD) all && GRADE='$(GRADE)' RINGSIM=$(CURDIR)/$(PROGRAM) tests/tools/wrong-answers $(or $(SEEDS),20) $(LABS)

mutants: ## spoil code at random, do the suites notice? SEED=1 N=40 ROOM=sim LONGEST=90, or OF=result
	@SEED='$(SEED)' N='$(N)' ROOM='$(ROOM)' OF='$(OF)' LONGEST='$(LONGEST)' OUT='$(OUT)' CC='$(CC)' \
	  tests/tools/mutants $(TESTS:$(B)/%=build/%) $(filter-out tests/cmd/build-%,$(COMMAND_TESTS))

# A peer for bench_flows, where SimGrid is installed (Debian: libsimgrid-dev).
$(B)/tests/bench/simgrid_ring: tests/bench/simgrid_ring.cc
	@mkdir -p $(@D)
	@if pkg-config --exists simgrid 2>/dev/null; then \
	  $(if $(CXX),$(CXX),c++) -O2 -std=c++17 -o $@ $< $$(pkg-config --cflags --libs simgrid); fi

bench: ## measure: build the benchmarks as for a release, run one after another
	@$(BUILD) benches
	@$(BUILD) $(B)/tests/bench/simgrid_ring
	@for b in $(BENCHES); do echo "== $$b"; $$b || exit 1; done

TABLES ?= tests/data/nccl-tables
bench-fidelity: ## how near estimate comes to measured tables: constants fitted on all families but the one judged; TABLES=DIR
	@$(BUILD) $(B)/tests/bench/bench_fidelity
	@$(B)/tests/bench/bench_fidelity $(TABLES)

bench-gpu: ## measure the ladder of CUDA kernels beside the GPU's own copies; without a GPU it says so
	@$(BUILD) $(B)/tests/bench/bench_gpu
	@$(B)/tests/bench/bench_gpu
