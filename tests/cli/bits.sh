#!/usr/bin/env bash
# Equal bits where something else than the scene differs: the processor that OpenBLAS takes its kernel for, and looks at
# asynchronous runs.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >bar.toml <<'SCENE'
time = { end = 0.02 }
integrator = { kind = "hamilton_pontryagin", step = 0.01 }
solver = { linear = "direct" }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
constraint = [{ kind = "fixed", selection = "bar.x_min" }]
[[material]]
name = "rubber"
kind = "neo_hookean"
young = 5e5
poisson = 0.45
density = 1000
[[body]]
name = "bar"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [1, 0.3, 0.3], cells = [8, 4, 4] }
SCENE

# --- the kernel of OpenBLAS ------------------------------------------------------------------------------------------------
for core in Haswell Sandybridge Nehalem Prescott; do
  OPENBLAS_CORETYPE=$core "$livens" run bar.toml --out "$core" --quiet || fail "the run with $core"
  for file in state.json history.csv; do
    cmp -s "Haswell/$file" "$core/$file" || fail "$file depends on the processor: $core"
  done
done

# --- asynchronous runs: rows do not depend on checkpoints, frames or interruptions -----------------------------------------
cat >avi.toml <<'SCENE'
time       = { end = 0.012 }
integrator = { kind = "asynchronous", courant = 0.3 }
checkpoint = { every = 0.0007 }
output     = [{ kind = "history", every = "1/8000" }]
probe      = [{ name = "all", record = ["heat"] }]
[[material]]
name = "m"
kind = "neo_hookean"
young = 5e5
poisson = 0.45
density = 1000
[[body]]
name = "bar"
kind = "solid"
material = "m"
mesh = { kind = "box", size = [1, 0.2, 0.2], cells = [4, 1, 1] }
initial.position = ["1.1*X", "Y", "Z"]
SCENE
"$livens" run avi.toml --out whole --quiet || fail "the asynchronous run"
for end in 0.006 0.0035 0.00601; do
  rm -rf parts
  "$livens" run avi.toml --out parts --quiet --set time.end=$end || fail "the first part up to $end"
  "$livens" run avi.toml --out parts --quiet --resume || fail "the part from $end"
  for file in history.csv state.json; do cmp -s "whole/$file" "parts/$file" || fail "$file differs, resumed at $end"; done
done
"$livens" run avi.toml --out other --quiet --set checkpoint.every=0.0013 \
  --set output='[{ kind = "history", every = "1/8000" }, { kind = "frames", every = "1/4000" }]' || fail "other looks"
cmp -s whole/history.csv other/history.csv || fail "history.csv depends on what else is recorded"
[[ $(wc -l <whole/history.csv) -gt 90 ]] || fail "too few rows to tell"

[[ $failures -eq 0 ]] || { echo "$failures failed" >&2; exit 1; }
