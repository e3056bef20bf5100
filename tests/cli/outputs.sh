#!/usr/bin/env bash
# Outputs of a run from outside: what a kill leaves behind, what is left out, and fields.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >lattice.toml <<'SCENE'
time = { end = 400 }
integrator = { kind = "stormer_verlet", step = 0.05 }
checkpoint = { every_steps = 20, keep = 2 }
output = [{ kind = "frames", every = 0.05 }, { kind = "vtu", every = 20, fields = ["displacement", "speed"] }]
[[body]]
name = "lattice"
kind = "particles"
mass = 1.0
layout = { kind = "triangular_lattice", count = [10, 10], spacing = 1.0 }
initial = { random_velocity = 0.2, seed = 1 }
[[force]]
kind = "spring"
body = "lattice"
pairs = "neighbours"
stiffness = 1.0
SCENE

# --- a kill at any time leaves files that can be gone on with --------------------------------------------------------------
expect_code 0 "$livens" run lattice.toml --out whole --quiet
"$livens" run lattice.toml --out parts --quiet &
first=$!
sleep 0.4
kill -9 $first 2>/dev/null
wait $first 2>/dev/null
for attempt in 1 2 3; do
  "$livens" run lattice.toml --out parts --resume --quiet &
  again=$!
  sleep 0.3
  kill -9 $again 2>/dev/null
  wait $again 2>/dev/null
done
expect_code 0 "$livens" run lattice.toml --out parts --resume --quiet
for file in history.csv vtu.pvd state.json; do cmp -s whole/$file parts/$file || fail "$file differs after kills"; done
for file in whole/vtu/*; do cmp -s "$file" "parts/vtu/${file##*/}" || fail "$file differs after kills"; done
[[ $(find whole/vtu -type f | wc -l) -eq $(find parts/vtu -type f | wc -l) ]] || fail "files of vtu stayed"
if command -v h5diff >/dev/null; then
  h5diff whole/frames.h5 parts/frames.h5 || fail "frames.h5 differs after kills"
fi

# --- frames that would fill the disk ----------------------------------------------------------------------------------------
expect_code 0 "$livens" run lattice.toml --out large --set body.lattice.layout.count='[500, 500]' --set time.end=1e-6 \
  --set integrator.kind=dormand_prince --set output='[]'
expect_text out.txt "frames.h5 is omitted: it could take 0.504 GB"
expect_text large/report.html "frames.h5 is omitted"
[[ -e large/frames.h5 ]] && fail "frames.h5 is there all the same"

# --- fields -------------------------------------------------------------------------------------------------------------------
expect_code 0 "$livens" list fields
expect_text out.txt "von_mises"
expect_code 0 "$livens" list fields --json
expect_text out.txt '"name": "contact_force"'
expect_code 2 "$livens" check lattice.toml --set output='[{ kind = "vtu", fields = ["sped"] }]'
expect_text err.txt "Did you mean 'speed'?"

[[ $failures -eq 0 ]] || exit 1
echo "outputs: all as expected"
