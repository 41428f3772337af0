#!/bin/sh
# Starts hookmachine for a plugin: the one on the PATH, or else the plugin's own version, which is installed for this
# user on first use. Until that has worked, exit status 2 denies what would have to be judged; at other events, which
# the variable marks, 2 could keep an agent from ending, so 1 only says that nothing was done.
version=VERSION
failed=2
[ -z "$HOOKMACHINE_NOT_JUDGED" ] || failed=1
unset HOOKMACHINE_NOT_JUDGED
case $HOME in /*) ;; *) echo 'hookmachine: HOME is no absolute path' >&2; exit $failed ;; esac
# A relative path would lead into the project.
case $XDG_DATA_HOME in /*) data=$XDG_DATA_HOME/hookmachine ;; *) data=$HOME/.local/share/hookmachine ;; esac
case $XDG_STATE_HOME in /*) state=$XDG_STATE_HOME/hookmachine ;; *) state=$HOME/.local/state/hookmachine ;; esac

# The guards are on from the beginning; whoever edits or removes this file later has decided otherwise.
if [ ! -e "$state/guards-begun" ]; then
  settings=$HOME/.hookmachine/settings.json
  mkdir -p "$state" "$HOME/.hookmachine" && : >"$state/guards-begun"
  [ -e "$settings" ] || [ -h "$settings" ] || printf '{ "guards": "on" }\n' >"$settings"
fi

# A project must not supply hookmachine or npm, neither from its own folders nor from those of its packages.
safe=
IFS=:
set -f
for folder in $PATH; do
  case $folder/ in
    */node_modules/.bin/) continue ;;
    "$PWD"/*) [ "$PWD" = "$HOME" ] || continue ;;
    /*) ;;
    *) continue ;;
  esac
  safe=$safe${safe:+:}$folder
done
unset IFS
set +f

found=$(PATH=$safe command -v hookmachine) && exec "$found" "$@"
own=$data/$version/node_modules/.bin/hookmachine
[ -x "$own" ] && exec "$own" "$@"

# Several events may come at once: one of them installs it, and the others wait. A lock of ten minutes is left over.
mkdir -p "$data" && chmod 700 "$data" || exit $failed
find "$data/$version.lock" -maxdepth 0 -mmin +10 -exec rmdir {} + 2>/dev/null
if mkdir "$data/$version.lock" 2>/dev/null; then
  trap 'rm -rf "$data/$version.new"; rmdir "$data/$version.lock" 2>/dev/null' EXIT
  trap 'exit $failed' HUP INT TERM
  rm -rf "$data/$version.new"
  (
    mkdir "$data/$version.new" && cd "$data/$version.new" && echo '{ "private": true }' >package.json &&
      PATH=$safe npm install --ignore-scripts --no-audit --no-fund --loglevel=error "hookmachine@$version" >&2 </dev/null
  ) && mv "$data/$version.new" "$data/$version"
  rmdir "$data/$version.lock"
  trap - EXIT
else
  waited=0
  while [ -d "$data/$version.lock" ] && [ "$waited" -lt 50 ]; do
    sleep 1
    waited=$((waited + 1))
  done
fi
[ -x "$own" ] && exec "$own" "$@"
echo "hookmachine: version $version could not be installed, so this cannot be judged; install it yourself: npm install -g hookmachine" >&2
exit $failed
