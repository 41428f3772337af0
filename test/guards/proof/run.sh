#!/bin/bash
# Runs one command in a sandbox of its own: a root in memory with a copy of the planted world, the system's
# programs read-only, recorders before them, no network, and no process of this machine in sight.
# $1 the world, $2 the recorders, $3 the result's folder; the command is on stdin.
# With $4 and $5, this project's folder and Node's, it judges the commands in $3/commands instead.
set -uo pipefail
world=$1 recorders=$2 result=$3
command=$(cat)
root=$(mktemp -d)
mount -t tmpfs none "$root"
cp -a "$world"/. "$root"/
mount --rbind /usr "$root/usr"
mount -o remount,ro,bind "$root/usr"
for name in bin sbin lib lib64 lib32; do [ -e "/usr/$name" ] && ln -s "usr/$name" "$root/$name"; done
mkdir -p "$root/rec/bin" "$root/rec/judge"
cp -a "$recorders"/. "$root/rec/bin/"
mount --rbind /proc "$root/proc"
mount -t tmpfs none "$root/dev"
for name in null zero urandom random full; do : >"$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
if [ $# -gt 3 ]; then
  mkdir -p "$root/hm" "$root/hm-node" "$root/result"
  mount --rbind "$4" "$root/hm"
  mount --rbind "$5" "$root/hm-node"
  mount --rbind "$result" "$root/result"
  env -i PATH=/hm-node:/usr/bin:/bin HOME=/home/dev USER=dev /usr/sbin/chroot "$root" /bin/bash -c \
    'cd /hm && /hm-node/node --import tsx test/guards/proof/judge.ts /result/commands /result/judged'
  exit
fi
printf 'disk' >"$root/dev/sda"
# Not in an argument, which every process could see.
printf 'canary-4f1d' >"$root/rec/token"
printf '%s' "$command" >"$root/rec/command"
timeout -k 1 10 env -i PATH=/rec/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin HOME=/home/dev USER=dev LANG=C.UTF-8 \
  /usr/sbin/chroot "$root" /usr/bin/setpriv --no-new-privs /bin/bash -c 'ulimit -u 400 -f 200000; cd /home/dev/project; export GITHUB_TOKEN=$(cat /rec/token); exec /bin/bash -c "$(cat /rec/command)"' \
  >"$result/stdout" 2>"$result/stderr" </dev/null
echo $? >"$result/status"
# What is left, by path and content.
(cd "$root" 2>/dev/null && find etc home opt root srv var dev/sda -type f -not -path '*/.git/objects/*' -not -path '*/.git/index' -not -path '*/.git/logs/*' -exec sha1sum {} + 2>/dev/null; cd "$root" && find etc home opt root srv var rec/ran-download -printf 'mode %m %p\n' 2>/dev/null) >"$result/left"
for name in called sent remote queries; do cp "$root/rec/$name" "$result/$name" 2>/dev/null || :; done
(cd "$root/home/dev/project" 2>/dev/null && export HOME="$root/home/dev" && git for-each-ref --format='%(refname) %(objectname)' 2>/dev/null; git stash list 2>/dev/null; git rev-list --all 2>/dev/null | sed 's/^/commit /'; find .git/logs -type f -exec cut -d' ' -f1,2 {} + 2>/dev/null | tr ' ' '\n' | grep -v '^0*$' | sort -u | sed 's/^/reflog /'; git -C "$root/srv/git/project.git" for-each-ref --format='remote %(refname) %(objectname)' 2>/dev/null; git -C "$root/srv/git/project.git" rev-list --all 2>/dev/null | sed 's/^/remote-commit /') >"$result/refs"
umount -l "$root"
