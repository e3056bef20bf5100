#!/usr/bin/env bash
# livens export, compare, adapt and gallery from outside: files, texts, exit codes, mistakes.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >bar.toml <<'SCENE'
title = "Bar"
time = { end = 0.3 }
integrator = { kind = "hamilton_pontryagin", step = 0.01 }
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
body = [{ name = "bar", kind = "solid", material = "rubber", mesh = { kind = "box", size = [1, 0.2, 0.2], cells = [4, 1, 1] } }]
constraint = [{ name = "wall", kind = "fixed", selection = "bar.x_min" }]
force = [{ name = "weight", kind = "gravity", acceleration = [0, 0, -9.81] }]
SCENE
expect_code 0 "$livens" run bar.toml --out one --quiet
expect_code 0 "$livens" run bar.toml --out two --quiet --set integrator.step=0.005

expect_code 0 "$livens" compare one two
expect_text out.txt "integrator.step"
expect_text out.txt "0.005"
expect_code 0 "$livens" compare one two --json
expect_text out.txt '"integrator.step"'
expect_code 2 "$livens" compare one nowhere
expect_text err.txt "nowhere"

# A program that was built without the viewer's page says so, and has no such export.
if "$livens" export one --format html --out one.html >out.txt 2>err.txt; then
  expect_file one.html
else
  expect_text err.txt "without the viewer's page"
  touch one.html
fi
expect_code 0 "$livens" export one --format vtu --out one_vtu
expect_code 0 "$livens" export one --format csv --out one.csv
expect_file one.csv
expect_code 0 "$livens" export one --format blender --out one_blender
expect_file one_blender/open.py
expect_code 2 "$livens" export one --format html --out one.html
expect_text err.txt "one.html"
expect_code 2 "$livens" export one --format gif
expect_text err.txt "gif"
compgen -G '*.part' >/dev/null && fail "a half-written export was left behind"

cat >beam.toml <<'SCENE'
time = { end = 1 }
integrator = { kind = "static", load_steps = 1 }
material = [{ name = "m", kind = "linear", young = 1e6, poisson = 0.3, density = 1000 }]
body = [{ name = "beam", kind = "solid", material = "m", mesh = { kind = "rectangle", size = [3, 1], cells = [6, 2] } }]
constraint = [{ name = "wall", kind = "fixed", selection = "beam.x_min" }]
force = [{ name = "down", kind = "traction", selection = "beam.x_max", traction = [0, -100] }]
adapt = { tolerance = 1e-4 }
SCENE
expect_code 0 "$livens" adapt beam.toml --out adapted
expect_text out.txt "gained"
for file in mesh.msh before.vtu after.vtu before.png after.png adapt.json report.html scene.toml; do expect_file adapted/$file; done
expect_code 2 "$livens" adapt bar.toml
expect_text err.txt 'integrator = { kind = "static" }'

cat >list.toml <<'LIST'
title = "Two"
intro = "Two scenes."
[[entry]]
file = "bar.toml"
group = "Solids"
shows = "It bends."
frames = 3
[[entry]]
file = "beam.toml"
group = "Meshes"
shows = "It moves."
LIST
expect_code 0 "$livens" gallery list.toml --out gallery
for file in index.html bar.png beam.png; do expect_file gallery/$file; done

[[ $failures -eq 0 ]]
