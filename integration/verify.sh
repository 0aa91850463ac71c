#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs the commands that answer a reviewer's questions, and leaves their answers in a folder. Both the GitHub Action and
# the GitLab template call it; on any machine it gives the same result.
#
#   integration/verify.sh [WORKSPACE] [RESULTS]
#
# VENDORCTL_COMMANDS  what to run (default: "verify diff-upstream audit"; `check` needs built objects)
# VENDORCTL_SYNC      "true": restore upstreams with `store: fetch` first (needs the network)
# VENDORCTL_ANNOTATE  "github": print annotations as well
#
# Leaves RESULTS/<command>.{json,sarif,xml,md}, RESULTS/comment.md and RESULTS/status, one line per command with its exit
# code. Exits with the highest of them.
set -uo pipefail

workspace=${1:-.}
results=${2:-vendorctl-results}
commands=${VENDORCTL_COMMANDS:-verify diff-upstream audit}

mkdir -p "$results"
: >"$results/status"
: >"$results/comment.md"
worst=0

if [ "${VENDORCTL_SYNC:-false}" = true ]; then
  vendorctl -C "$workspace" -q sync --locked || exit
fi

for command in $commands; do
  # One run decides; the other formats repeat what it found.
  vendorctl -C "$workspace" "$command" --format json >"$results/$command.json"
  code=$?
  # 1: findings; 6: a kernel's test failed. Anything else gave no report.
  if [ "$code" -le 1 ] || [ "$code" -eq 6 ]; then
    vendorctl -C "$workspace" "$command" --format sarif >"$results/$command.sarif"
    vendorctl -C "$workspace" "$command" --format junit >"$results/$command.xml"
    vendorctl -C "$workspace" "$command" --format markdown >"$results/$command.md"
    cat "$results/$command.md" >>"$results/comment.md"
    if [ "${VENDORCTL_ANNOTATE:-}" = github ]; then
      vendorctl -C "$workspace" "$command" --format github
    fi
  fi
  printf '%s %s\n' "$command" "$code" >>"$results/status"
  if [ "$code" -gt "$worst" ]; then worst=$code; fi
done

# A comment may have 65,536 characters. Where the parts together have more, their headings and counts have to do.
if [ "$(wc -m <"$results/comment.md")" -gt 65000 ]; then
  for command in $commands; do
    if [ -f "$results/$command.md" ]; then head -n 5 "$results/$command.md"; fi
  done >"$results/comment.md"
fi
exit "$worst"
