"""Tells the model what this project expects, with every request."""

import json
import sys

messages = json.load(sys.stdin)["llm_request"]["messages"]
rule = {"role": "system", "content": "Write short answers."}
print(json.dumps({"hookSpecificOutput": {"llm_request": {"messages": [*messages, rule]}}}))
