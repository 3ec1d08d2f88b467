#!/bin/sh
# Sorts commit subjects from standard input into sections: `feat: …` and `fix(scope): …` by their kind, others under "Inside".
# A subject with `!` before its colon breaks something, and comes first in its section.
exec awk '
  function add(section, text, breaks) {
    if (breaks) first[section] = first[section] "- BREAKS: " text "\n"
    else rest[section] = rest[section] "- " text "\n"
  }
  NF == 0 { next }
  {
    kind = ""; text = $0; breaks = 0
    if (match($0, /^[a-z]+(\([^)]*\))?!?: /)) {
      head = substr($0, 1, RLENGTH - 2)
      text = substr($0, RLENGTH + 1)
      breaks = (head ~ /!$/)
      kind = head
      sub(/[(!].*$/, "", kind)
    }
    if (kind == "feat" || kind == "perf") add("Changed for you", text, breaks)
    else if (kind == "fix") add("Mended", text, breaks)
    else add("Inside", text, breaks)
  }
  END {
    count = split("Changed for you|Mended|Inside", sections, "|")
    for (n = 1; n <= count; n += 1) {
      body = first[sections[n]] rest[sections[n]]
      if (body != "") printf "## %s\n%s\n", sections[n], body
    }
  }
'
