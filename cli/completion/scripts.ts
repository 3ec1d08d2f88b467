/** Completion scripts by shell. Each calls the hidden command `__complete`. */
export const scripts = {
  // Bash splits words at `=` and `:` too, so the script joins them again; Bash replaces only the part after the last of them.
  bash: `_platform_completion() {
  local program="\${1/#\\~\\//$HOME/}" part word='' line kind=':none' replaced quoted
  local -a words=() lines=()
  local index
  for ((index = 1; index <= COMP_CWORD; index++)); do
    part="\${COMP_WORDS[index]}"
    if [[ \${#words[@]} -gt 0 && ( "$part" == [=:]* || "\${COMP_WORDS[index - 1]}" == *[=:] ) ]]; then
      words[\${#words[@]} - 1]+="$part"
    else
      words+=("$part")
    fi
  done
  words=("\${words[@]//\\\\/}")
  [[ \${#words[@]} -gt 0 ]] && word="\${words[\${#words[@]} - 1]}"
  replaced="\${word%"\${word##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == :* ]]; then kind="$line"; else lines+=("\${line%%$'\\t'*}"); fi
  done < <("$program" __complete -- "\${words[@]}" 2>/dev/null)
  for line in "\${lines[@]}"; do
    printf -v quoted '%q' "\${line#"$replaced"}"
    COMPREPLY+=("$quoted")
  done
  if [[ "$kind" != :files ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _platform_completion platform
`,
  zsh: `#compdef platform
_platform_completion() {
  local line kind=':none'
  local -a found
  for line in "\${(@f)$("\${(Q)words[1]/#\\~\\//$HOME/}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == :* ]]; then kind="$line"
    elif [[ "$line" == *$'\\t'?* ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n "$line" ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}")
    fi
  done
  (( \${#found} )) && _describe -V 'platform' found
  if [[ "$kind" == :files ]]; then
    compset -P '--*='
    _files
  fi
}
if [[ "\${funcstack[1]}" == _platform ]]; then _platform_completion "$@"; else compdef _platform_completion platform; fi
`,
  fish: `function __platform_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l kind ':none'
    for line in ($program __complete -- $words[2..-1] "$current" 2>/dev/null)
        if string match -q ':*' -- $line
            set kind $line
        else
            printf '%s\\n' $line
        end
    end
    if test "$kind" = ':files'
        __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current")
    end
end
complete -c platform -f -a '(__platform_completion)'
`,
} as const;
