# What the model says is shown only once this has spoken.
text=$(node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).llm_response.text' | tr '0-9' '#')
printf '{"hookSpecificOutput":{"llm_response":{"text":"%s"}}}' "$text"
