# Exit 2 denies the call; the model reads what is on stderr.
case "$(cat)" in
  *password*) echo 'Passwords do not belong into notes.' >&2; exit 2 ;;
esac
