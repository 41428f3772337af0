#!/usr/bin/env python3
"""Keeps files of secrets from being written: exit 2 denies, and stderr tells the model why."""
import json
import os
import sys

path = json.load(sys.stdin)["tool_input"].get("file_path", "")
if os.path.basename(path).startswith(".env"):
    print(f"{path} holds secrets; leave it alone.", file=sys.stderr)
    sys.exit(2)
