#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Puts the libraries our benchmark is compared with under DEST: a Python environment with the wheels of Pinocchio
# (headers, with the Boost they need) and MuJoCo (headers and library). Versions are fixed, so that figures taken at
# different times compare. Running it again costs nothing once they are there.
#
# Usage: fetch_peers.sh DEST
set -eu

wheels="pin==4.1.0 libpinocchio==4.1.0 cmeel-boost==1.90.0 mujoco==3.17.0"

fail() {
  echo "fetch_peers.sh: $*" >&2
  exit 1
}

[ $# -eq 1 ] || fail "usage: fetch_peers.sh DEST"
case $1 in
  /*) dest=$1 ;;
  *) dest=$PWD/$1 ;;
esac
stamp=$dest/thenar-peers.txt

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wheels" ]; then
  echo "Benchmark peers already in $dest: $wheels"
  exit 0
fi

# Only a directory this script has made may be cleared: leftovers of other versions would be mixed in otherwise.
if [ ! -f "$stamp" ] && [ -d "$dest" ] && [ -n "$(ls -A "$dest")" ]; then
  fail "$dest is neither empty nor made by this script"
fi
command -v python3 > /dev/null || fail "needs python3"
mkdir -p "$dest"
echo incomplete > "$stamp"
python3 -m venv --clear "$dest" || fail "cannot make a Python environment in $dest (Debian: apt install python3-venv)"
echo incomplete > "$stamp"
# The list is meant to be split into words.
# shellcheck disable=SC2086
"$dest/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --retries 2 --timeout 20 \
  $wheels || fail "cannot install $wheels: is the Python package index reachable from here? \
Benchmarks still run, against what the system provides."
echo "$wheels" > "$stamp"
echo "Benchmark peers in $dest: $wheels"
