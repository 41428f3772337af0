#!/bin/sh
# Tells the model, after each change, what this project expects.
cat >/dev/null
echo '{
  "hookSpecificOutput": {
    "additionalContext": "House rule: note every change in CHANGELOG.md."
  },
  "suppressOutput": true
}'
