#!/usr/bin/env bash
# A body and a generalised coordinate in one scene, from outside: columns, checkpoints, exports, paths.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >rack.toml <<'SCENE'
time = { end = 1 }
integrator = { kind = "rattle", step = 0.005 }
output = [{ kind = "history", every = 0.01 }, { kind = "frames", every = 0.02 }]
[[body]]
name = "rack"
kind = "rigid"
mass = 2
inertia = 0.02
center = [0.2, 0]
[[constraint]]
name = "guide"
kind = "prismatic"
bodies = ["ground", "rack"]
point = [0, 0]
axis = [1, 0]
[[constraint]]
name = "teeth"
kind = "expression"
bodies = ["rack", "system"]
ends = [[0.2, 0]]
g = "x - 0.1*theta"
[system]
kind = "lagrangian"
coordinates = ["theta"]
kinetic = "0.01*theta_dot^2/2"
potential = "-3*cos(theta)"
initial = { theta = 2 }
SCENE

expect_code 0 "$livens" check rack.toml
expect_text out.txt "body 'rack' of 3 nodes in 2D, 1 generalised coordinate"
expect_text out.txt "1 degree of freedom"
expect_code 0 "$livens" run rack.toml --out whole
expect_text out.txt "Verdict: kept"
for column in theta theta_dot rack.kinetic linear_momentum_x potential.potential; do
  head -1 whole/history.csv | tr , '\n' | grep -qx "$column" || fail "no column $column"
done
expect_text whole/state.json '"coordinates_begin": 6'

# --- resumed bit for bit --------------------------------------------------------------------------------------------------
expect_code 0 "$livens" run rack.toml --out parts --set time.end=0.4
expect_code 0 "$livens" run rack.toml --out parts --resume
for file in history.csv state.json; do cmp -s "whole/$file" "parts/$file" || fail "$file differs, resumed"; done

# --- exports and paths ----------------------------------------------------------------------------------------------------
for format in html vtu csv blender; do expect_code 0 "$livens" export whole --format $format --out "as_$format"; done
sed -e '/^\[\[constraint\]\]/,/^\[system\]/{/^\[system\]/!d}' -e '1i path = { to = { theta = 1.9, rack = ["X + 1", "Y"] } }' \
  -e 's/kind = "rigid"/kind = "particles"/; s/^inertia.*//; s/^center.*/layout = { kind = "points", points = [[0, 0], [0, 1]] }/' \
  rack.toml >path.toml
expect_code 0 "$livens" path path.toml --set integrator.kind=implicit_midpoint --set time.end=0.1 --out there
expect_text there/path.csv "t,rack.0.x,rack.0.y,rack.1.x,rack.1.y,theta"

[[ $failures -eq 0 ]] && echo "all passed"
exit $((failures > 0))
