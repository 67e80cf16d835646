#!/bin/sh
# The rooms keep apart, as far as this build's objects tell (a sanitizer's build tells nothing).
case $BUILD in
*/build) exec tests/tools/check-rooms build ;;
*) echo "ok rooms # skip: only a usual build is looked at" ;;
esac
