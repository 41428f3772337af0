#!/bin/sh
# The model should not be inventive here.
cat >/dev/null
echo '{ "hookSpecificOutput": { "llm_request": { "config": { "temperature": 0 } } } }'
