#!/usr/bin/env bash
# livens run, check and list from outside: exit codes, signals, files.
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/cli.sh"

cat >pendulum.toml <<'SCENE'
title = "Pendulum"
time = { end = 5 }
integrator = { kind = "stormer_verlet", step = 0.01 }
[system]
kind = "lagrangian"
coordinates = ["theta"]
kinetic = "theta_dot^2/2"
potential = "9.81*(1 - cos(theta))"
initial = { theta = 0.8, theta_dot = 0 }
SCENE

# --- done, and where ---------------------------------------------------------------------------------------------------
expect_code 0 "$livens" run pendulum.toml
expect_text out.txt "done      runs/pendulum: 5 s in 500 steps."
expect_text out.txt "Verdict: kept, as stormer_verlet claims. See runs/pendulum/report.html"
expect_code 0 "$livens" run pendulum.toml --quiet
[[ -s out.txt || -s err.txt ]] && fail "--quiet printed something"
[[ -f runs/pendulum-2/summary.json ]] || fail "the second run is not in runs/pendulum-2"
strip_timing() { sed '/"timing": {/,/}/d' "$1"; }
diff <(strip_timing runs/pendulum/summary.json) <(strip_timing runs/pendulum-2/summary.json) >/dev/null || fail "equal runs differ"
cmp -s runs/pendulum/history.csv runs/pendulum-2/history.csv || fail "equal runs differ in history.csv"
expect_code 0 "$livens" run pendulum.toml --out there
expect_code 0 "$livens" run pendulum.toml --out there
expect_text out.txt "replaced"
find . -name '*.part' | grep -q . && fail "a temporary file stayed"

# --- bad input -----------------------------------------------------------------------------------------------------------
: >empty.toml
expect_code 2 "$livens" run empty.toml
expect_text err.txt "empty.toml"
expect_code 2 "$livens" run missing.toml
expect_code 2 "$livens" run .
expect_code 2 "$livens" run
expect_code 2 "$livens" nonsense
expect_code 2 "$livens" run pendulum.toml --threads none
expect_code 2 "$livens" run pendulum.toml --set integrator.stepp=1
expect_text err.txt "step"
expect_code 2 "$livens" run pendulum.toml --set nonsense
expect_code 2 "$livens" run pendulum.toml --resume --from runs/pendulum
expect_code 2 "$livens" run pendulum.toml --out pendulum.toml/below
expect_code 2 "$livens" run pendulum.toml --from nowhere
expect_text err.txt "refused"
mkdir foreign && touch foreign/mine
expect_code 2 "$livens" run pendulum.toml --out foreign
expect_text err.txt "refused"
[[ -z $(ls foreign | grep -v '^mine$') ]] || fail "a foreign directory was written to"

# --- a disk that is full: a message, and no half-written file ------------------------------------------------------------
(ulimit -f 8; "$livens" run pendulum.toml --out full >out.txt 2>err.txt)
[[ $? -eq 2 ]] || fail "a full disk did not give exit code 2"
expect_text err.txt "cannot write"
if [[ -f full/history.csv ]]; then
  columns=$(head -1 full/history.csv | tr -cd , | wc -c)
  awk -v n="$columns" '{ if (gsub(",", ",") != n) bad = 1 } END { exit bad }' full/history.csv || fail "half a row in history.csv"
  [[ -z $(tail -c 1 full/history.csv) ]] || fail "history.csv does not end with a line feed"
fi
find full -name '*.part' | grep -q . && fail "a temporary file stayed on the full disk"
grep -q '"status": *"failed"' full/summary.json || fail "the summary of the full disk does not say failed"
grep -q '"exit_code": *2' full/summary.json || fail "the summary of the full disk does not have the exit code"
expect_code 0 "$livens" run pendulum.toml --out full

# --- files that are taken away while a run writes them -------------------------------------------------------------------
"$livens" run pendulum.toml --set time.end=1e6 --out vanishing --quiet 2>err.txt &
pid=$!
for _ in $(seq 200); do [[ -f vanishing/history.csv ]] && break; sleep 0.01; done
sleep 0.3
rm -rf vanishing
wait $pid
code=$?
[[ $code -eq 2 ]] || fail "a directory that vanished gave exit code $code"
expect_text err.txt "is gone"
[[ -e vanishing ]] && fail "the directory that vanished was made again"

# --- what is removed from a directory that is used again -----------------------------------------------------------------
mkdir -p home && echo precious >home/data.h5
expect_code 0 "$livens" run pendulum.toml --out again
sed -i "s|\"files\": \[|\"files\": [\"$PWD/home/data.h5\", \"../home/data.h5\",|" again/summary.json
expect_code 0 "$livens" run pendulum.toml --out again
[[ -f home/data.h5 ]] || fail "a file outside the run directory was removed"

# --- damaged files of others give no insides of libraries ----------------------------------------------------------------
echo '{"t": [], "q": 1}' >again/state.json
rm -rf again/checkpoints
expect_code 2 "$livens" run pendulum.toml --from again --out other
expect_text err.txt "state.json' holds no state"
grep -qE 'json\.exception|::' err.txt && fail "raw text of a library: $(cat err.txt)"

# --- numerical failure, and its advice can be followed -------------------------------------------------------------------
cat >stiff.toml <<'SCENE'
time = { end = 100 }
integrator = { kind = "stormer_verlet", step = 1.5 }
[system]
kind = "lagrangian"
coordinates = ["x"]
kinetic = "x_dot^2/2"
potential = "x^4 + x^2"
initial = { x = 1, x_dot = 1 }
SCENE
expect_code 3 "$livens" run stiff.toml
expect_text err.txt "failed    step "
expect_text err.txt "  why     "
expect_text err.txt "  try     livens run stiff.toml --set integrator.step="
[[ -f runs/stiff/failure.json ]] || fail "no failure.json"
advice=$(sed -n 's/^  try     livens \(.*\)    (.*/\1/p' err.txt)
expect_code 0 "$livens" $advice
expect_code 3 "$livens" run stiff.toml --set integrator.kind=implicit_midpoint --set solver.max_iterations=1 --out hard
expect_text err.txt "  try     livens run stiff.toml --from hard --set integrator.kind=implicit_midpoint --set solver.max_iterations=1 --set integrator.step="
expect_text hard/failure.json '"trace": ['
loose=(--set solver.tolerance=0.001 --set solver.max_iterations=1)
expect_code 3 "$livens" run stiff.toml --set integrator.kind=implicit_midpoint "${loose[@]}" --out loose
expect_text err.txt "  try     livens run stiff.toml --from loose --set integrator.kind=implicit_midpoint --set solver.max_iterations=1 --set solver.tolerance=0"
expect_code 3 "$livens" run stiff.toml "${loose[@]}" --out explicit
grep -q "tolerance=0 " err.txt && fail "a tolerance is blamed where nothing is solved"
expect_code 3 "$livens" run stiff.toml --quiet
[[ -s err.txt ]] || fail "--quiet hid a failure"

# --- signals: complete, resumable output ---------------------------------------------------------------------------------
long=(--set time.end=80000 --set output='[{kind="history",every=100}]')
"$livens" run pendulum.toml "${long[@]}" --out whole --quiet || fail "the long run"
for signal in INT TERM HUP; do
  # A background job of a script ignores SIGINT unless its handler is set again, as the program does.
  "$livens" run pendulum.toml "${long[@]}" --out "stopped_$signal" --quiet &
  pid=$!
  for _ in $(seq 200); do [[ -f stopped_$signal/summary.json ]] && break; sleep 0.01; done
  sleep 0.1
  kill "-$signal" $pid
  wait $pid
  code=$?
  [[ $code -eq 130 ]] || fail "SIG$signal gave exit code $code"
  expect_text "stopped_$signal/summary.json" '"status": "interrupted"'
  for name in history.csv state.json report.html; do [[ -f stopped_$signal/$name ]] || fail "no $name after SIG$signal"; done
  expect_code 0 "$livens" run pendulum.toml "${long[@]}" --resume --out "stopped_$signal"
  expect_text out.txt "resumed   stopped_$signal at step "
  cmp -s whole/history.csv "stopped_$signal/history.csv" || fail "history.csv differs after SIG$signal"
  cmp -s whole/state.json "stopped_$signal/state.json" || fail "state.json differs after SIG$signal"
  diff <(strip_timing whole/summary.json) <(strip_timing "stopped_$signal/summary.json") >/dev/null || fail "summary.json differs after SIG$signal"
done

# nohup has SIGHUP ignored, and it stays so.
(trap '' HUP; exec "$livens" run pendulum.toml --set time.end=2000 --out nohup --quiet) &
pid=$!
for _ in $(seq 200); do [[ -f nohup/summary.json ]] && break; sleep 0.01; done
kill -HUP $pid 2>/dev/null
wait $pid
code=$?
[[ $code -eq 0 ]] || fail "SIGHUP ended a run under nohup with exit code $code"

# --- resume by scene or run directory, extension, refusal, --from --------------------------------------------------------
expect_code 0 "$livens" run pendulum.toml --resume --set time.end=6
expect_text out.txt "resumed   runs/pendulum-2"
expect_code 0 "$livens" run runs/pendulum --resume
expect_code 2 "$livens" run pendulum.toml --resume --set integrator.step=0.02
expect_text err.txt "refused   runs/pendulum-2 does not continue pendulum.toml: integrator.step is 0.01 there, 0.02 here"
expect_code 0 "$livens" run pendulum.toml --from runs/pendulum --set integrator.step=0.02 --set time.end=7
expect_text out.txt "from      runs/pendulum at t = 5 s"

# --- check and list ------------------------------------------------------------------------------------------------------
expect_code 0 "$livens" check pendulum.toml
expect_text out.txt "OK        pendulum.toml: Pendulum"
expect_text out.txt "in 500 steps of 0.01 s"
expect_text out.txt "explicit: no equations are solved"
expect_code 0 "$livens" check pendulum.toml --set time.end=5.005
expect_text out.txt "is not a whole number of steps"
expect_code 0 "$livens" check pendulum.toml --set integrator.kind=implicit_midpoint
expect_text out.txt "minimises the incremental potential (K06's Lilyan)"
cat >drop.toml <<'SCENE'
time = { end = 1 }
integrator = { kind = "hamilton_pontryagin", step = 0.01 }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
contact = [{ name = "floor", kind = "plane", point = [0, 0, 0], normal = [0, 0, 1] }]
material = [{ name = "jelly", kind = "stable_neo_hookean", young = 2e4, poisson = 0.45, density = 1000 }]
body = [{ name = "cube", kind = "solid", material = "jelly", mesh = { kind = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }]
SCENE
expect_code 0 "$livens" check drop.toml
expect_text out.txt "advice      use stormer_verlet"
expect_text out.txt "memory      about 0.04 GB, more where a matrix is factorised"
expect_text out.txt "--set integrator.kind=energy_momentum keeps the energy at this step"
expect_code 0 "$livens" check drop.toml --set integrator.step=0.001
grep -q "beyond the envelope" out.txt && fail "a short step is within the envelope"
cat >load.toml <<'SCENE'
time = { end = 1 }
integrator = { kind = "asynchronous" }
force = [{ kind = "traction", selection = "bar.x_max", traction = [0, 0, "100*sin(5*t)"] }]
constraint = [{ kind = "fixed", selection = "bar.x_min" }]
material = [{ name = "m", kind = "neo_hookean", young = 1e6, poisson = 0.3, density = 1000 }]
body = [{ name = "bar", kind = "solid", material = "m", mesh = { kind = "box", size = [1, 0.2, 0.2], cells = [4, 1, 1] } }]
SCENE
expect_code 0 "$livens" check load.toml
grep -qE "clocks .*24 stencils and 1 term as a whole, .* updates, .* of them of terms as a whole" out.txt ||
  fail "updates of terms as a whole are not counted: $(grep clocks out.txt)"
printf 'time = { end = -1 }\nintegrator = { kind = "rk5", step = 0 }\n[system]\nkind = "nothing"\n' >wrong.toml
expect_code 2 "$livens" check wrong.toml
[[ $(wc -l <err.txt) -ge 2 ]] || fail "not all faults were listed"
grep -qE '^wrong.toml:[0-9]+:[0-9]+: integrator' err.txt || fail "no place in: $(cat err.txt)"
for kind in integrators systems forces bodies layouts probes outputs sections; do
  expect_code 0 "$livens" list "$kind"
  [[ -s out.txt ]] || fail "list $kind is empty"
done
expect_code 0 "$livens" list integrators --json
expect_text out.txt '"stormer_verlet"'
expect_code 0 "$livens" list
expect_text out.txt "integrators"
expect_code 2 "$livens" list integrator_s
for words in "--help" "run --help" "check --help" "list --help" "--version"; do expect_code 0 "$livens" $words; done
expect_code 0 "$livens" run --help
expect_text out.txt "Examples:"

[[ $failures -eq 0 ]] || { echo "$failures failed" >&2; exit 1; }
