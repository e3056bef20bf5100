# shellcheck shell=bash
# shellcheck disable=SC2154
# Sourced by ./run and ./test, which set $root: install what is missing, configure, build.

packages=(
  g++ cmake ninja-build ccache pkgconf
  libeigen3-dev libxsimd-dev libtbb-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev
  libhdf5-dev zlib1g-dev libmumps-seq-dev libmetis-dev libopenblas-dev
)

# npm bundles the page of livens view; it may also come from elsewhere than a package.
command -v npm >/dev/null || packages+=(npm)

say() { printf '%s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# ---- packages -------------------------------------------------------------------------------------------------------

missing_packages() {
  local installed package
  installed=" $(dpkg-query -W -f='${Package} ${db:Status-Status} ' "${packages[@]}" 2>/dev/null)"
  for package in "${packages[@]}"; do
    [[ $installed == *" $package installed "* ]] || printf '%s ' "$package"
  done
}

# as_root COMMAND...: directly as root, otherwise through sudo.
as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=600 "$@"; }

can_become_root() {
  [[ $EUID -eq 0 ]] && return
  command -v sudo >/dev/null || return
  sudo -n true 2>/dev/null && return
  [[ -t 0 ]] && sudo -v
}

install_packages() {
  local missing log="$root/build/packages.log" sizes
  command -v dpkg-query >/dev/null || return 0
  read -ra missing <<<"$(missing_packages)"
  [[ ${#missing[@]} -eq 0 ]] && return

  if ! can_become_root; then
    say "These packages are missing, and installing them needs root or sudo:"
    say "  apt-get install ${missing[*]}"
    exit 2
  fi
  mkdir -p "$root/build"
  say "Packages to install: ${missing[*]}"
  say "Reading the package lists ..."
  apt update -q >"$log" 2>&1 || say "  some package lists could not be read (see $log); trying with what there is"
  sizes=$(apt install -q --no-install-recommends --assume-no "${missing[@]}" 2>/dev/null |
    sed -nE 's/^Need to get (.*) of archives\.$/\1 to download/p; s/^After this operation, (.*) of additional.*/, \1 on disk/p' | tr -d '\n')
  say "Installing them with what they need: ${sizes:-about 150 MB to download, 700 MB on disk}; about 2 minutes, and then a few for the build ..."
  if ! apt install -q -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail 2 "The packages could not be installed; the whole log is $log"
  fi
  say "Packages installed."
}

# ---- configure and build --------------------------------------------------------------------------------------------

# The instruction set of the build: AVX2 and its companions, or the older level where they are missing.
instruction_set() {
  local flag flags
  [[ $(uname -m) == x86_64 ]] || return 0
  flags=" $(grep -m1 '^flags' /proc/cpuinfo) "
  for flag in avx avx2 bmi1 bmi2 f16c fma abm movbe; do
    [[ $flags == *" $flag "* ]] || { echo x86-64-v2; return; }
  done
  echo x86-64-v3
}

# One job per core, and at least 1 GB of free memory for each.
jobs_for_build() {
  local cores gigabytes
  cores=$(nproc)
  gigabytes=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  [[ ${gigabytes:-0} -lt 1 ]] && gigabytes=1
  echo $((cores < gigabytes ? cores : gigabytes))
}

configure() {
  local preset=$1 dir="$root/build/$1" log="$root/build/$1-configure.log" arch state
  arch=$(instruction_set)
  state="$root $arch $(cksum <"$root/CMakePresets.json")"
  [[ -f $dir/build.ninja && -f $dir/.configured && $(<"$dir/.configured") == "$state" ]] && return
  say "Configuring build/$preset ..."
  if ! (cd "$root" && cmake --fresh --preset "$preset" -D "LIVENS_ARCH=$arch") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    say "Configuring build/$preset failed; the whole log is $log"
    return 1
  fi
  printf '%s\n' "$state" >"$dir/.configured"
}

# Reads ninja's lines and shows those that tell progress: one moving line on a terminal, every tenth part elsewhere.
# Says nothing when there is nothing to do.
show_progress() {
  local preset=$1 line finished total part shown=-1
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Building|Linking) ]] || continue
    finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [[ -t 2 ]]; then
      printf '\rBuilding build/%s: %d of %d \033[K' "$preset" "$finished" "$total" >&2
    else
      part=$((10 * finished / total))
      [[ $part -gt $shown ]] && say "Building build/$preset: $finished of $total"
    fi
    shown=$((10 * finished / total))
  done
  if [[ -t 2 && $shown -ge 0 ]]; then printf '\r\033[K' >&2; fi
}

# build PRESET [TARGET...]
build() (
  local preset=$1 log="$root/build/$1.log" codes
  shift
  mkdir -p "$root/build"
  exec {lock}>"$root/build/.lock"
  flock "$lock"
  configure "$preset" || return 1
  ninja -C "$root/build/$preset" -j "$(jobs_for_build)" "$@" {lock}>&- 2>&1 | tee "$log" | show_progress "$preset"
  codes=("${PIPESTATUS[@]}")
  [[ ${codes[0]} -eq 0 ]] && return
  # The messages without the command lines and ninja's own chatter.
  grep -vE ' -o [^ ]+ -c |^\[[0-9]+/[0-9]+\] |^-- |^ninja: Entering' "$log" | head -n 40 >&2
  say "Building build/$preset failed; the whole log is $log"
  return 1
)
