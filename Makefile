# A first Makefile; targets grow with the rooms.
CFLAGS ?= -O2 -g -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
BASE := -std=c17 -D_GNU_SOURCE -ffp-contract=off -Isim -Iviz -Icli
SIM := $(patsubst %.c,build/%.o,$(wildcard sim/*.c))
build/libringsim.a: $(SIM)
	@rm -f $@; ar rcs $@ $^
build/%.o: %.c $(wildcard sim/*.h viz/*.h cli/*.h)
	@mkdir -p $(dir $@)
	$(CC) $(BASE) $(CFLAGS) -c $< -o $@
build/tests/test_%: tests/test_%.c build/libringsim.a
	@mkdir -p $(dir $@)
	$(CC) $(BASE) $(CFLAGS) $< build/libringsim.a -lcriterion -lm -o $@
