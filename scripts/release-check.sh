#!/usr/bin/env bash
# Fails unless a tag may be released: it is the package's version, the changelog has a section for it, and GitHub has
# verified its signature.
set -euo pipefail
tag=$1
version=$(node -p 'require("./package.json").version')
if [ "$tag" != "v$version" ]; then
  echo "::error::the tag $tag is not v$version, the version in package.json"
  exit 1
fi
"$(dirname "$0")/changelog-section.sh" "$tag" >/dev/null
object=$(gh api "repos/$GITHUB_REPOSITORY/git/ref/tags/$tag" --jq '.object | select(.type == "tag") | .sha')
verified=$([ -n "$object" ] && gh api "repos/$GITHUB_REPOSITORY/git/tags/$object" --jq .verification.verified || echo false)
if [ "$verified" != true ]; then
  echo "::error::the tag $tag is not signed, or GitHub does not know the key: git tag -s $tag"
  exit 1
fi
