#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# For a scheduled job: reports drift and prepares one branch per upstream that has something newer. Pushes nothing.
#
#   integration/bump.sh [WORKSPACE] [RESULTS] [NAME...]
#
# VENDORCTL_BRANCH  prefix of the branches (default: vendorctl/bump-)
#
# Leaves RESULTS/outdated.json, RESULTS/drift.md, and for each upstream RESULTS/<name>.md, the text of a pull request.
# RESULTS/branches has one line per branch that was made: its name, the upstream, and the ref that it moves to. An
# upstream whose patches conflict gets no branch: its text says so, and how to go on. The branch that was checked out is
# checked out again.
set -euo pipefail

workspace=${1:-.}
mkdir -p "${2:-vendorctl-results}"
results=$(cd "${2:-vendorctl-results}" && pwd)
shift $(($# < 2 ? $# : 2))
prefix=${VENDORCTL_BRANCH:-vendorctl/bump-}

cd "$workspace"
if [ -n "$(git status --porcelain)" ]; then
  echo "bump.sh: the work tree has changes; commit or stash them first" >&2
  exit 2
fi
before=$(git symbolic-ref --quiet --short HEAD || git rev-parse HEAD)

vendorctl outdated "$@" --format json >"$results/outdated.json"
vendorctl diff-upstream "$@" --against track --format markdown >"$results/drift.md" || true
: >"$results/branches"

# Names, refs and ids as columns; git allows no blank in any of them.
moves=$(python3 - "$results/outdated.json" <<'PYTHON'
import json, sys
for row in json.load(open(sys.argv[1], encoding="utf-8"))["upstreams"]:
    if row["outdated"]:
        print(row["name"], row["latest"]["ref"], row["latest"]["commit"])
PYTHON
)

while read -r name ref commit; do
  [ -n "$name" ] || continue
  branch="$prefix$name-${commit:0:12}"
  if git rev-parse --quiet --verify "refs/heads/$branch" >/dev/null; then
    echo "$branch exists already"
    continue
  fi
  git switch --quiet --create "$branch"
  if vendorctl sync --pin "$name=$ref" --format markdown >"$results/$name.md" && vendorctl -q verify >/dev/null; then
    git add --all
    git commit --quiet --message "Bump $name to $ref" --message "Pin: $commit"
    printf '%s %s %s\n' "$branch" "$name" "$ref" >>"$results/branches"
    git switch --quiet "$before"
  else
    vendorctl -q sync "$name" --abort >/dev/null 2>&1 || true
    git reset --quiet --hard
    git switch --quiet "$before"
    git branch --quiet -D "$branch"
    printf '### %s: the bump to `%s` needs a person\n\nRun `vendorctl sync --pin %s=%s` and resolve the conflict.\n' \
      "$name" "$ref" "$name" "$ref" >"$results/$name.md"
  fi
done <<<"$moves"
cat "$results/branches"
