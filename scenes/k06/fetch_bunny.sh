#!/bin/sh
# Fetches the bunny (npm package "bunny" 1.0.1, public domain) and writes it as bunny.obj beside this script. The package is
# read as text: nothing in it is run. Its bytes and those of the result are checked.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target="$here/bunny.obj"
package=bunny-1.0.1.tgz
package_sha256=381e02c74b98cf18814d7bec794726ef70b9c67e037273e82054d0043f6ae303
result_sha256=cbd8260cc00411746db426d58f10a42f72303a267bad3d91398eb00b932bc8a4

fail() {
  echo "fetch_bunny.sh: $*" >&2
  exit 1
}
# is FILE SHA256: whether the file is there and has these bytes.
is() { [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

if is "$target" "$result_sha256"; then
  echo "$target is there."
  exit 0
fi
command -v npm >/dev/null 2>&1 || fail "npm is missing: apt-get install npm"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
if ! (cd "$scratch" && npm pack --ignore-scripts bunny@1.0.1) >"$scratch/log" 2>&1; then
  cat "$scratch/log" >&2
  fail "npm could not fetch the package bunny"
fi
is "$scratch/$package" "$package_sha256" || fail "the package is not the one that was expected: its SHA-256 differs"
tar -xzf "$scratch/$package" -C "$scratch" package/index.js

# exports.positions=[[x,y,z],...] and exports.cells=[[a,b,c],...], with numbers from 0
list() { sed -n "s/^exports\.$1=\[\[\(.*\)\]\];\{0,1\}$/\1/p" "$scratch/package/index.js" | sed 's/\],\[/\n/g' | tr ',' ' '; }
{
  echo "# The Stanford bunny, npm package bunny 1.0.1, public domain; y is up, the longest side is 9.907"
  list positions | sed 's/^/v /'
  list cells | awk '{ print "f", $1 + 1, $2 + 1, $3 + 1 }'
} >"$scratch/bunny.obj"
is "$scratch/bunny.obj" "$result_sha256" || fail "the surface is not the one that was expected: its SHA-256 differs"
cp "$scratch/bunny.obj" "$target.part"
mv "$target.part" "$target"
echo "$target: $(grep -c '^v ' "$target") vertices, $(grep -c '^f ' "$target") triangles."
