#!/usr/bin/env bash
# livens path from outside: exit codes, files, the kinds of paths.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >oscillator.toml <<'SCENE'
time = { end = 2 }
integrator = { kind = "stormer_verlet", step = 0.05 }
path = { to = { x = 1 } }
[system]
kind = "lagrangian"
coordinates = ["x"]
kinetic = "x_dot^2/2"
potential = "x^2/2"
initial = { x = 0 }
SCENE

expect_code 0 "$livens" path oscillator.toml
expect_text out.txt "a minimum"
expect_text out.txt "runs/oscillator_path/report.html"
for file in path.csv summary.json report.html path.svg scene.toml; do
  [[ -s runs/oscillator_path/$file ]] || fail "no $file"
done
[[ $(wc -l <runs/oscillator_path/path.csv) -eq 42 ]] || fail "path.csv has not 40 steps"
expect_code 0 "$livens" path oscillator.toml --set time.end=4 --out behind
expect_text out.txt "a saddle of index 1"
expect_text out.txt "1 conjugate point on the way, the first between 3.1"
expect_code 0 "$livens" path oscillator.toml --set time.end=4 --out behind --quiet  # replaces its own
[[ -s out.txt || -s err.txt ]] && fail "--quiet printed something"
expect_code 3 "$livens" path oscillator.toml --set time.end=4 --set path.find=minimum --out none
expect_text err.txt "failed"
expect_code 2 "$livens" path oscillator.toml --set integrator.kind=rk4
expect_text err.txt "discrete Lagrangian"
expect_code 2 "$livens" path oscillator.toml --set path.to.y=1
expect_text err.txt "path.to.y"
expect_code 2 "$livens" path missing.toml
mkdir foreign && touch foreign/mine
expect_code 2 "$livens" path oscillator.toml --out foreign
[[ -e foreign/mine ]] || fail "a foreign file is gone"

[[ $failures -eq 0 ]] && echo "all passed"
exit $((failures > 0))
