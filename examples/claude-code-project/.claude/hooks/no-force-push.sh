#!/bin/bash
# Asks before a push, and denies one that rewrites history.
set -euo pipefail
read -r input
command=$(jq -r '.tool_input.command' <<<"$input")
if grep -Eq -- '(--force|-f)\b' <<<"$command"; then decision=deny; else decision=ask; fi
jq -n --arg decision "$decision" --arg command "$command" '{
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: $decision,
    permissionDecisionReason: "This pushes: \($command)"
  }
}'
