#!/bin/bash
# Puts a word behind the text of the call.
source "${BASH_SOURCE%/*}/read-call.sh"
printf '{"hookSpecificOutput":{"tool_input":{"text":"%s %s"}}}' "$t" "$1"
