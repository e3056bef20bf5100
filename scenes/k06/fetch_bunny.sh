#!/bin/sh
# Fetches the bunny (npm package "bunny" 1.0.1, public domain) and writes it as bunny.obj beside this script.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target="$here/bunny.obj"
vertices=1839

count() { grep -c '^v ' "$1" 2>/dev/null || true; }

if [ "$(count "$target")" = "$vertices" ]; then
  echo "$target is there."
  exit 0
fi
for program in npm node; do
  if ! command -v "$program" >/dev/null 2>&1; then
    echo "fetch_bunny.sh: $program is missing: apt-get install npm" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
if ! npm install --prefix "$scratch" --no-audit --no-fund --ignore-scripts --no-save bunny@1.0.1 \
    >"$scratch/log" 2>&1; then
  cat "$scratch/log" >&2
  echo "fetch_bunny.sh: npm could not install the package bunny" >&2
  exit 1
fi

node -e '
const { positions, cells } = require(process.argv[1] + "/node_modules/bunny");
const lines = ["# The Stanford bunny, npm package bunny 1.0.1, public domain; y is up, the longest side is 9.907"];
for (const p of positions) lines.push("v " + p.join(" "));
for (const c of cells) lines.push("f " + c.map((i) => i + 1).join(" "));
require("fs").writeFileSync(process.argv[2], lines.join("\n") + "\n");
' "$scratch" "$scratch/bunny.obj"

if [ "$(count "$scratch/bunny.obj")" != "$vertices" ]; then
  echo "fetch_bunny.sh: expected $vertices vertices, found $(count "$scratch/bunny.obj")" >&2
  exit 1
fi
cp "$scratch/bunny.obj" "$target.part"
mv "$target.part" "$target"
echo "$target: $vertices vertices, $(grep -c '^f ' "$target") triangles."
