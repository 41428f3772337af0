"""Rewrites `rm FILE` so that the file is moved to .trash/ instead."""

import json
import shlex
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
words = shlex.split(command)
answer = {}
if words[:1] == ["rm"]:
    files = [word for word in words[1:] if not word.startswith("-")]
    moved = " ".join(shlex.quote(file) for file in files)
    answer = {
        "decision": "allow",
        "hookSpecificOutput": {
            "tool_input": {"command": f"mkdir -p .trash && mv -- {moved} .trash/"}
        },
        "systemMessage": "rm was replaced: the files are in .trash/.",
    }
print(json.dumps(answer))
