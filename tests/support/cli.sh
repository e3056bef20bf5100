# shellcheck shell=bash
# Sourced by the scripts of tests/cli, which are called with the program: what they expect of commands and files. A script
# ends with `exit $failures` or its like.
set -u
livens=$1
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
# expect_code CODE COMMAND...: leaves what it prints in out.txt and err.txt.
expect_code() {
  local wanted=$1; shift
  timeout 120 "$@" >out.txt 2>err.txt
  local code=$?
  [[ $code -eq $wanted ]] || fail "exit code $code instead of $wanted: $* $(head -c 500 err.txt)"
}
# expect_text FILE TEXT
expect_text() { grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(head -c 500 "$1")"; }
expect_file() { [[ -s $1 ]] || fail "no file $1"; }
