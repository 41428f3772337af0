#!/bin/sh
# Restricts the model to the tools this project needs.
echo '{
  "hookSpecificOutput": {
    "toolConfig": {
      "mode": "AUTO",
      "allowedFunctionNames": ["read_file", "write_file", "list_directory", "run_shell_command"]
    }
  }
}'
