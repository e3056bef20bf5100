#!/usr/bin/env bash
# livens modes and livens mesh from outside: exit codes, files, refusals.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >springs.toml <<'SCENE'
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.01 }
[system]
kind = "lagrangian"
coordinates = ["a", "b"]
kinetic = "(a_dot^2 + b_dot^2)/2"
potential = "2*a^2 + b^2/2"
initial = { a = 0, b = 0 }
SCENE

expect_code 0 "$livens" modes springs.toml
expect_text out.txt "complete  the modes below the highest were counted"
expect_text out.txt "0.159155 Hz"
for file in modes.csv summary.json report.html scene.toml; do
  [[ -s runs/springs_modes/$file ]] || fail "no $file"
done
[[ -f runs/springs_modes/runs/mode_01_0.1592_Hz/history.csv ]] || fail "no swing of the first mode"
expect_code 2 "$livens" modes springs.toml --set modes.count=0
expect_text err.txt "modes.count"
expect_code 2 "$livens" modes springs.toml --set "system.kinetic=(a_dot^2 + b_dot^2)/2 + a*b_dot - b*a_dot"
expect_text err.txt "gyroscopic"

cat >part.inp <<'PART'
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
*ELEMENT, TYPE=C3D4, ELSET=wedge
1, 1, 2, 3, 4
PART
expect_code 0 "$livens" mesh part.inp --scale 2
expect_text out.txt "1 tet4, 4 nodes"
expect_text out.txt "volume 1.33333 m^3"
expect_text out.txt "region    wedge: 1 elements"
sed -i 's/3, 4$/3, 9/' part.inp
expect_code 2 "$livens" mesh part.inp
expect_text err.txt "part.inp:7: node 9 is not in the file"
expect_code 2 "$livens" mesh part.inp --scale zero

[[ $failures -eq 0 ]] && echo "all passed"
exit $((failures > 0))
