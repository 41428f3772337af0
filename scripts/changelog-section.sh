#!/usr/bin/env bash
# Prints the section of CHANGELOG.md about a version, given as a tag; fails if there is none.
set -euo pipefail
section=$(awk -v wanted="## ${1#v}" '
  /^## / { inside = index($0 " ", wanted " ") == 1; next }
  inside' "$(dirname "$0")/../CHANGELOG.md")
if [ -z "${section//[[:space:]]/}" ]; then
  echo "CHANGELOG.md has no section \"## ${1#v}\"" >&2
  exit 1
fi
printf '%s\n' "$section"
