#!/bin/sh
# Stops the agent when it wants to deploy: that needs a person.
if grep -q '"command":"[^"]*deploy'; then
  echo '{"continue": false, "stopReason": "Deploying needs a person. The agent was stopped."}'
fi
