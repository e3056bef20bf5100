#!/usr/bin/env bash
# run.sh PROGRAM SCRATCH: the viewer's page in a real browser. The last line is "N passed, N failed".
# Installs Chromium by apt-get if there is none, and playwright-core by npm into SCRATCH.
set -uo pipefail

program=$(readlink -f "${1:?the livens program}")
scratch=${2:?a scratch directory}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
mkdir -p "$scratch"
scratch=$(readlink -f "$scratch")

give_up() {
  printf '%s\n' "$1" >&2
  echo "0 passed, 1 failed"
  exit 1
}

for tool in node npm; do
  command -v $tool >/dev/null || give_up "Tests in a browser need node and npm."
done

if ! command -v chromium >/dev/null; then
  root_command=()
  [[ $EUID -eq 0 ]] || root_command=(sudo)
  "${root_command[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium \
    >"$scratch/chromium.log" 2>&1 || give_up "Chromium could not be installed; see $scratch/chromium.log"
fi

# The newest playwright-core needs node 20; Debian 12 has 18.
version=1.65.0
[[ $(node --version) =~ ^v1[0-9]\. ]] && version=1.55.0
if [[ ! -f $scratch/node_modules/playwright-core/package.json ]]; then
  echo '{ "private": true }' >"$scratch/package.json"
  (cd "$scratch" && npm install --no-audit --no-fund --ignore-scripts "playwright-core@$version") >"$scratch/npm.log" 2>&1 ||
    give_up "playwright-core could not be installed; see $scratch/npm.log"
fi

exec node "$here/all.mjs" "$program" "$scratch" "$(command -v chromium)" "${3:-}"
