#!/usr/bin/env bash
# run.sh PROGRAM SCRATCH: exports in a real Blender, without a screen. The last line is "N passed, N failed".
# Installs Blender and h5py by apt-get if they are not there.
set -uo pipefail

program=$(readlink -f "${1:?the livens program}")
scratch=${2:?a scratch directory}
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
scenes=$here/../../scenes
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1

passed=0
failed=0
# verdict NAME STATUS: counts a test.
verdict() {
  if [[ $2 -eq 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  echo "$([[ $2 -eq 0 ]] && echo ok || echo FAILED)  $1"
}

python=/usr/bin/python3
if ! command -v blender >/dev/null || ! $python -c 'import h5py' 2>/dev/null; then
  root_command=()
  [[ $EUID -eq 0 ]] || root_command=(sudo)
  "${root_command[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends blender \
    python3-h5py >install.log 2>&1 || {
    echo "Blender could not be installed; see $scratch/install.log" >&2
    echo "0 passed, 1 failed"
    exit 1
  }
fi

# in_blender EXPORT ARGUMENTS OF open.py...: with check.py behind it.
in_blender() {
  local export=$1
  shift
  timeout -k 5 300 blender --background --factory-startup --python-exit-code 1 --python "$export/open.py" \
    --python "$here/check.py" -- "$@" 2>&1 | grep -E "^found|Error|Traceback"
}

# A solid: vertex by vertex.
"$program" run "$scenes/twisted_bar.toml" --set time.end=0.5 --set 'output=[{kind="frames", every="1/30"}]' --out bar --quiet
"$program" export bar --format blender --out bar_blender
$python "$here/expected.py" bar/frames.h5 bar 1 2 8 16 >expected.txt
found=$(LIVENS_EXPECTED=expected.txt in_blender bar_blender --render "$scratch/bar.png" --frame 4 --samples 4)
echo "$found"
difference=$(sed -n 's/.*largest difference \([^ ]*\) m.*/\1/p' <<<"$found")
moved=$(sed -n 's/.*moved by up to \([^ ]*\) m.*/\1/p' <<<"$found")
# Positions of about 1 m in single precision: 6e-8 m of rounding.
awk -v d="${difference:-1}" -v m="${moved:-0}" 'BEGIN { exit !(d < 1e-7 && m > 0.01) }'
verdict "vertices are those of frames.h5" $?
grep -q "frames 1 to 16, 30 a second" <<<"$found"
verdict "range and rate of the animation" $?

# The comparison sees a frame that is another one.
sed 's/^bar 8 /bar 9 /' expected.txt >shifted.txt
difference=$(LIVENS_EXPECTED=shifted.txt in_blender bar_blender | sed -n 's/.*largest difference \([^ ]*\) m.*/\1/p')
awk -v d="${difference:-0}" 'BEGIN { exit !(d > 1e-3) }'
verdict "a wrong frame is noticed (${difference:-?} m)" $?

# coloured PICTURE LEAST: per cent of its pixels.
coloured() {
  local found
  found=$(LIVENS_PICTURE=$1 timeout -k 5 120 blender --background --factory-startup --python "$here/check.py" 2>&1 | grep coloured)
  echo "$found"
  awk -v c="$(sed -n 's/^found: \([^ ]*\) %.*/\1/p' <<<"$found")" -v least="$2" 'BEGIN { exit !(c > least) }'
}
coloured "$scratch/bar.png" 5
verdict "the picture of the bar shows it" $?

# Rigid bodies, joints and particles.
for scene in multibody_rigid_flexible_pendulum multibody_chain; do
  "$program" run "$scenes/$scene.toml" --set time.end=0.5 --out $scene --quiet
  "$program" export $scene --format blender
  found=$(in_blender ${scene}_blender --render "$scratch/$scene.png" --frame 5 --samples 4)
  echo "$found"
  ! grep -q "Error" <<<"$found" && coloured "$scratch/$scene.png" 0.2
  verdict "$scene opens and is drawn" $?
done

echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]
