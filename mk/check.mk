# What is looked at beside the tests. `make check` is the whole, before an issue is resolved; what every
# change must pass (.ci/run) is the quick ones, and `make check-core`.

QUICK := format text scripts headers po rooms warnings
CHECKS := $(QUICK) sanitizers switches fuzz page packages browsers
.PHONY: check check-quick check-core $(CHECKS:%=check-%)

# Runs checks one after another, and says at the end which failed.
run_checks = failed=; for c in $1; do echo "== check-$$c"; start=$$(date +%s); \
  $(SUB) check-$$c || failed="$$failed $$c"; echo "== check-$$c took $$(($$(date +%s) - start)) s"; done; \
  if [ -n "$$failed" ]; then echo "make $@: failed:$$failed"; exit 1; fi; echo "make $@: all good"
check: ## all that can be checked here, before an issue is resolved: the quick ones, sanitizers, switches, fuzz, page, packages, browsers
	@tests/tools/need check
	@$(call run_checks,$(CHECKS))
check-quick: ## formatter, texts, scripts, headers, translations, rooms, warnings
	@tests/tools/need check
	@$(call run_checks,$(QUICK))

check-format: ## clang-format has nothing to change
	@clang-format --dry-run -Werror $$(find sim nccl viz gpu cli tests lessons -name '*.[ch]' -o -name '*.cu')

size: ## lines of code by room and folder, or their difference to a commit: SINCE=COMMIT
	@tests/tools/size $(SINCE)

check-text: ## the tree explains itself: no pointer to what a reader cannot see
	@tests/tools/check-text

check-scripts: ## every script is a POSIX sh program
	@for f in tests/tools/* tests/hour/hour tests/hour/gpu-report tests/cmd/*.sh .ci/run lessons/handout lessons/package lessons/deliver/setup.sh \
	  lessons/deliver/run_autograder; do sh -n $$f || exit 1; done

check-headers: ## the public headers are whole in themselves, for C11 and for C++
	@for h in $$(find sim nccl viz gpu -name 'ringsim*.h'); do \
	  clang -x c -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(NCCL_FACES) -include $$h /dev/null || exit 1; \
	  clang -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(NCCL_FACES) -include $$h /dev/null || exit 1; done

check-po: ## every sentence is translated, and no translation breaks a format
	@tests/tools/catalogue check

check-rooms: ## prove from includes and object files that the rooms keep apart
	@$(BUILD) all
	@tests/tools/check-rooms $(B)

# The newest gcc that is here: 14 sees what 12 does not. With WERROR=1 from the environment the usual build
# has proved it already, if that gcc made it.
GCC = $(firstword $(shell command -v gcc-16 gcc-15 gcc-14 gcc-13) gcc)
IS_GCC = $(filter $(shell $(GCC) -dumpfullversion),$(shell $(CC) -dumpfullversion 2>/dev/null))
check-warnings: ## the newest gcc takes every file without a warning (clang: check-sanitizers)
	@echo "by $(notdir $(GCC)) $(shell $(GCC) -dumpfullversion)$(if $(filter-out 1 2 3 4 5 6 7 8 9 10 11 12 13,$(firstword $(subst ., ,$(shell $(GCC) -dumpfullversion)))),,: gcc 14 is not here and not run)"
	@$(BUILD) $(if $(and $(WERROR),$(IS_GCC)),,B=build/gcc CC=$(GCC)) WERROR=1 tests benches

# Not those that build, nor the lessons' commands, nor what goes on between MPI's processes or those
# of the emulated devices, nor how soon a signal ends what a sanitizer slows, nor the first hour, nor
# more and more pictures: other tests run the same code.
SANITIZED := B=build/sanitized CC=clang SAN=address OPT=-O1 WERROR=1
PICTURES_ENOUGH := $(foreach n,golden words film lesson,%/test_gui_$n.c)
NOT_SANITIZED := tests/cmd/build-% tests/cmd/lessons.sh tests/cmd/verify-mpi.sh tests/cmd/hour.sh \
                 tests/cmd/cancel.sh tests/cmd/device-nccl.sh
check-sanitizers: ## all tests again, built by clang with address and undefined-behaviour sanitizers
	@$(BUILD) $(SANITIZED) benches run-tests MONKEY_SECONDS=8 LEFT_OUT='$(PICTURES_ENOUGH)' \
	  COMMAND_TESTS='$(filter-out $(NOT_SANITIZED),$(COMMAND_TESTS))'

# What reads what others wrote, what runs what others wrote, the engines, what draws: tests/README.md.
CORE := sim nccl cli/base cli/fit cli/estimate cli/explain cli/hang cli/nccl cli/sandbox viz/stage
CORE_COMMANDS := $(patsubst %,tests/cmd/%.sh,hang explain machine-files graph-files cli-files interpret-kinds limits)
check-core: ## the core of them with sanitizers: readers, sandbox, engines, stage
	@tests/tools/need check
	@$(BUILD) $(SANITIZED) run-suites SUITES='$(CORE)' COMMAND_TESTS='$(CORE_COMMANDS)'

check-switches: ## a build with each library switched off still works
	@$(BUILD) all
	@tests/tools/check-switches

check-page: ## the page without a browser: commands and suites in WebAssembly, against the program
	@if tests/tools/need page; then $(BUILD) all $(B)/ringsim.html $(B)/page/suites.wasm && \
	  tests/tools/run-tests $(B) tests/web/page.sh; else echo "ringsim: no page: skipped"; fi

check-packages: ## the package and the source archive: made, installed, run, removed
	@tests/tools/try-packages

check-browsers: ## the page in Chromium and Firefox: a session, and what is painted against the program's pictures
	@if tests/tools/need browsers; then $(BUILD) all && $(BUILD) $(B)/ringsim.html && tests/tools/try-browsers $(B); else \
	  echo "ringsim: no browsers: skipped"; fi

check-fuzz: ## every fuzz target for 3 seconds
	@$(SUB) fuzz FUZZ_SECONDS=3
