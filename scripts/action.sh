#!/usr/bin/env bash
# What the GitHub Action does: runs each command, all of them even if one fails, and fails if any did.
set -uo pipefail
if [ "$VERSION" = project ]; then
  hookmachine=("$PWD/$PROJECT/node_modules/.bin/hookmachine")
else
  hookmachine=(npx --yes "hookmachine@$VERSION")
fi
status=0
while IFS= read -r line; do
  # Words are separated by blanks, as in a shell; nothing else of a shell counts.
  read -ra words <<<"$line"
  [ "${#words[@]}" -gt 0 ] || continue
  case ${words[0]} in
    check | test | backtest) ;;
    *)
      echo "::error title=hookmachine::\"${words[0]}\" is none of check, test and backtest"
      status=1
      continue
      ;;
  esac
  echo "::group::hookmachine $line"
  "${hookmachine[@]}" "${words[@]}" --cwd "$PROJECT" || status=$?
  echo '::endgroup::'
done <<<"$COMMANDS"
exit "$status"
