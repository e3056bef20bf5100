#!/usr/bin/env bash
# Runs every fuzz target for some time: run.sh PROGRAM BUILD SECONDS. Findings stay in BUILD/findings; what was found worth
# keeping stays in BUILD/corpus, so that the next run begins with it. The last line is "N passed, N failed".
set -u
program=$1 build=$2 seconds=$3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(readlink -f "$here/../..")
passed=0
failed=0
mkdir -p "$build/findings"
program=$(readlink -f "$program") build=$(readlink -f "$build")

# seed TARGET NAME FILE: a file that a target begins with.
seed() {
  mkdir -p "$build/corpus/$1"
  cp "$3" "$build/corpus/$1/seed-$2"
}

make_seeds() {
  local scratch=$build/seeds scene number=0
  rm -rf "$scratch"
  mkdir -p "$scratch"
  # The scene of checkpoint.cpp.
  cat >"$scratch/oscillator.toml" <<'SCENE'
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.1 }
[system]
kind = "lagrangian"
coordinates = ["x"]
kinetic = "x_dot^2/2"
potential = "x^2/2"
initial = { x = 1, x_dot = 0 }
SCENE
  cat >"$scratch/solid.toml" <<'SCENE'
time = { end = 0.003 }
integrator = { kind = "stormer_verlet", step = 0.001 }
output = [{ kind = "frames", every = 0.001, fields = ["velocity", "von_mises"] }]
contact = [{ name = "floor", kind = "plane", point = [0, 0, -1], normal = [0, 0, 1] }]
[[material]]
name = "m"
kind = "neo_hookean"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "b"
kind = "solid"
material = "m"
mesh = { kind = "box", size = [1, 1, 1], cells = [1, 1, 1] }
SCENE
  for scene in oscillator solid; do
    "$program" run "$scratch/$scene.toml" --out "$scratch/$scene" --quiet || return 1
    seed summary "$scene" "$scratch/$scene/summary.json"
    seed scene "$scene" "$scratch/$scene/scene.toml"
  done
  seed frames solid "$scratch/solid/frames.h5"
  seed checkpoint oscillator "$(find "$scratch/oscillator/checkpoints" -name 'step-*' | head -n 1)"
  for scene in "$root"/scenes/*.toml; do seed scene "$(basename "$scene")" "$scene"; done
  for scene in "$root"/tests/scene/malformed/*.toml; do seed scene "$(basename "$scene")" "$scene"; done
  grep -hoE '"[^"]*[-+*/^(][^"]*"' "$root"/scenes/*.toml | tr -d '"' | sort -u | head -n 200 | while read -r text; do
    number=$((number + 1))
    printf '%s' "$text" >"$scratch/expression"
    seed expression $number "$scratch/expression"
  done
  printf 'GET /api/runs/0/frames?from=2&count=5 HTTP/1.1\r\nHost: localhost\r\nX-Livens-Key: k\r\n\r\n' >"$scratch/request"
  seed http get "$scratch/request"
  printf 'POST /api/live HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}' >"$scratch/request"
  seed http post "$scratch/request"
  "$program" export "$scratch/solid" --format vtu --out "$scratch/vtu" >/dev/null || return 1
  cp "$(find "$scratch/vtu" -name '*.vtu' | head -n 1)" "$scratch/mesh"
  printf '\040' >>"$scratch/mesh"
  seed mesh vtu "$scratch/mesh"
  printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n\040' >"$scratch/mesh"
  seed mesh msh "$scratch/mesh"
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n\001' >"$scratch/mesh"
  seed mesh obj "$scratch/mesh"
}

if ! make_seeds; then
  echo "fuzz: the seeds could not be made" >&2
  failed=1
fi
for target in "$build"/fuzz_*; do
  [[ -x $target && -f $target ]] || continue
  name=${target##*/fuzz_}
  mkdir -p "$build/corpus/$name"
  LIVENS_FUZZ_SCRATCH=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
  export LIVENS_FUZZ_SCRATCH
  echo "fuzz $name for $seconds s"
  # In its scratch directory: readers of meshes write what is wrong with a file into the current one.
  if cd "$LIVENS_FUZZ_SCRATCH" && "$target" "$build/corpus/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="$build/findings/$name-" -print_final_stats=1 >"$build/$name.log" 2>&1; then
    passed=$((passed + 1))
    grep -E 'stat::number_of_executed_units|stat::average_exec_per_sec' "$build/$name.log"
  else
    failed=$((failed + 1))
    grep -E '^(==|SUMMARY|#[0-9]+ 0x|artifact_prefix|ALARM|.*ERROR)' "$build/$name.log" | head -n 30
    echo "fuzz $name failed: see $build/$name.log and $build/findings"
  fi
  cd "$root" && rm -rf "$LIVENS_FUZZ_SCRATCH"
done
echo "$passed passed, $failed failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
