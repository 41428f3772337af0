/*
 * What shells run to complete a command line. The words that were typed are passed on as they are: nothing of them is
 * evaluated before the line is run.
 */

const bash = `_hookmachine() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    case $value in
      :[0-9]*) ;;
      "\${COMP_WORDS[COMP_CWORD]}"*) COMPREPLY+=("$value") ;;
    esac
  done < <(hookmachine complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hookmachine hookmachine
`;

const zsh = `#compdef hookmachine
_hookmachine() {
  local -a found
  local line
  while IFS= read -r line; do
    [[ $line == :<-> ]] || found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(hookmachine complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe hookmachine found; else _files; fi
}
compdef _hookmachine hookmachine
`;

const fish = `function __hookmachine_complete
  set -l words (commandline -opc) (commandline -ct)
  hookmachine complete -- $words[2..-1] 2>/dev/null | string match -v -r '^:\\d+$'
end
complete -c hookmachine -a '(__hookmachine_complete)'
`;

/** By shell, the script that completes our command lines. */
export const scripts = { bash, zsh, fish } as const;
