#!/bin/bash
# Says no to the call by its number.
source "${BASH_SOURCE%/*}/read-call.sh"
printf '{"decision":"deny","reason":"no to %s"}' "$n"
