#!/bin/bash
# Says no, and leaves behind what would live for long.
source "${BASH_SOURCE%/*}/read-call.sh"
sleep 100 &
printf '{"decision":"deny","reason":"no to %s"}' "$n"
