#!/bin/bash
# livens study: files, exit codes, messages, equal results for any number of threads.
set -u
program=$1
source=${LIVENS_SOURCE_DIR:?}
failures=0

expect() {  # expect WHAT COMMAND...
  local what=$1
  shift
  "$@" || { echo "FAILED: $what"; failures=$((failures + 1)); }
}

"$program" study "$source/scenes/pendulum_study.toml" > out.txt 2> err.txt
expect "a study ends with 0" test $? -eq 0
for file in cases.csv error.csv order.csv energy_band.csv damping_rate.csv study.json report.html study.toml scene.toml; do
  expect "$file is written" test -s "runs/pendulum_study/$file"
done
expect "36 cases and a header" test "$(wc -l < runs/pendulum_study/cases.csv)" -eq 37
expect "says where the report is" grep -q "runs/pendulum_study/report.html" out.txt

"$program" study "$source/scenes/pendulum_study.toml" --threads 1 --quiet > quiet.txt 2>&1
expect "a second study has its own directory" test -s runs/pendulum_study-2/report.html
expect "--quiet prints nothing" test ! -s quiet.txt
expect "threads do not change results" cmp -s runs/pendulum_study/error.csv runs/pendulum_study-2/error.csv

"$program" study "$source/scenes/pendulum_study.toml" --quiet --out there --figures figures --keep-runs \
  --set 'sweep.integrator.step.values=[0.05]' --set time.end=2
expect "values of a sweep can be changed" test "$(wc -l < there/cases.csv)" -eq 7
expect "figures are written" ls figures/pendulum_study_energy.svg > /dev/null
expect "runs are kept" test -s there/runs/case-006/summary.json
"$program" study "$source/scenes/pendulum_study.toml" --quiet --out there --set 'sweep.integrator.step.values=[0.05]'
expect "an earlier study is replaced" test $? -eq 0

"$program" study "$source/scenes/e04_alignment/drifts.toml" --quiet --out drifts
expect "a table of the study's own is written" grep -q '^derivative,energy (J),' drifts/drifts.csv
expect "with a row for each case" test "$(wc -l < drifts/drifts.csv)" -eq 6

cat > bad.toml <<END
scene  = "$source/scenes/pendulum.toml"
sweep  = [{ key = "integrator.kind", values = ["rk4", "rk5"] }]
report = { plots = ["enrgy"] }
END
"$program" study bad.toml 2> err.txt
expect "faults end with 2" test $? -eq 2
expect "unknown kinds are named" grep -q "rk5" err.txt
expect "unknown plots are named" grep -q "Did you mean 'energy'" err.txt
expect "nothing is left behind" test ! -e runs/bad

exit $failures
