#!/bin/bash
# Stands in the place of a program that speaks to other machines, or that would change this one: it notes what it
# was called with, answers as the program might, and does in the sandbox what shows that it was asked.
name=${0##*/}
input=
if [ ! -t 0 ]; then input=$(head -c 65536 | tr -d '\0'); fi
files=
for word in "$@"; do
  file=${word#*@}
  file=${file#*=}
  file=${file#file://}
  [ -f "$file" ] && files+=$(head -c 65536 "$file" | tr -d '\0')
  [ -d "$file" ] && files+=$(cat "$file"/* "$file"/.[!.]* 2>/dev/null | head -c 65536 | tr -d '\0')
done
printf '%s\n' "$name $*" >>/rec/called
case $name in
curl | wget | http | nc | ncat | scp | sftp | rsync | mail | dig | nslookup | socat | telnet | aws | gcloud | gsutil | rclone | gh | ssh | ping)
  printf '%s\n' "$* $input $files" >>/rec/sent ;;
esac
code='touch /rec/ran-download'
case $name in
curl | wget)
  out=
  previous=
  for word in "$@"; do
    case $previous in -o | -O | --output | --output-document) [ "$name" = curl ] && [ "$previous" = -O ] || out=$word ;; esac
    case $word in -o?*) out=${word#-o} ;; esac
    previous=$word
  done
  if [ "$name" = wget ] && [ -z "$out" ]; then case " $* " in *' -qO- '* | *' -O- '* | *' -O - '*) ;; *) out=index.html ;; esac; fi
  case $out in '' | -) echo "$code" ;; *) echo "$code" >"$out" ;; esac ;;
ssh)
  case $* in *' '*) shift $(($# > 1 ? 1 : 0)); printf '%s\n' "$* $input" >>/rec/remote ;; esac ;;
psql | mysql | sqlite3 | mongosh | redis-cli)
  printf '%s\n' "$name $* $input $files" >>/rec/queries ;;
esac
exit 0
