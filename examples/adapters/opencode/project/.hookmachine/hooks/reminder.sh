# The model reads this behind the result.
echo '{"hookSpecificOutput":{"additionalContext":"Notes are read by the whole family."}}'
