/**
 * Paths and numbers are passed as arguments, never in a script's text; all paths are absolute, so that none is taken
 * for an option. Scripts run as the member: links are followed with the member's own permissions.
 */

/**
 * Prints what `$1` is; for a plain file its size in bytes, and after a line its content from line `$2` on, at most `$3`
 * lines and `$4` bytes.
 */
export const read = `
if [ -d "$1" ]; then echo folder; exit 0; fi
if ! [ -e "$1" ]; then echo absent; exit 0; fi
if ! [ -f "$1" ]; then echo special; exit 0; fi
if ! [ -r "$1" ]; then echo denied; exit 0; fi
echo "file $(wc -c <"$1")"
tail -n "+$2" "$1" | head -n "$3" | head -c "$4"
`;

/** Does the same from byte `$2` on, counted from 1. */
export const read_bytes = `
if [ -d "$1" ]; then echo folder; exit 0; fi
if ! [ -e "$1" ]; then echo absent; exit 0; fi
if ! [ -f "$1" ]; then echo special; exit 0; fi
if ! [ -r "$1" ]; then echo denied; exit 0; fi
echo "file $(wc -c <"$1")"
tail -c "+$2" "$1" | head -c "$4"
`;

/**
 * Writes `$2` bytes of its input to `$1`, with the mode `$3`, or the existing one. Readers see either the old file or
 * the new one. A link is replaced, not its target.
 */
export const write = `
folder=\${1%/*}
if [ -d "$1" ]; then echo folder; exit 0; fi
if [ -e "$1" ] && ! [ -f "$1" ]; then echo special; exit 0; fi
mkdir -p "\${folder:-/}" || exit 1
mode=$3
[ -n "$mode" ] || mode=$(stat -c %a "$1" 2>/dev/null) || mode=644
part="$folder/.platform-$PLATFORM_CALL"
trap 'rm -f "$part"' EXIT
head -c "$2" >"$part" || exit 1
[ "$(wc -c <"$part")" -eq "$2" ] || { echo 'not all of it could be written' >&2; exit 1; }
[ -L "$1" ] && rm -f "$1"
chmod "$mode" "$part" && mv -f "$part" "$1" && echo written
`;

/**
 * Lists `$1`, `$2` folders deep, in batches: the output of `stat`, up to a NUL; the names, each ended by a NUL because
 * a name may contain a line end; and one more NUL.
 */
export const list = `
if ! [ -e "$1" ]; then echo absent; exit 0; fi
if ! [ -d "$1" ]; then echo file; exit 0; fi
if ! [ -r "$1" ] || ! [ -x "$1" ]; then echo denied; exit 0; fi
echo folder
find "\${1%/}/" -mindepth 1 -maxdepth "$2" -print0 2>/dev/null | head -c 393216 | xargs -0 -n 200 sh -c '
  stat -c "%f %s %n" "$@" 2>/dev/null
  printf "\\\\0"
  printf "%s\\\\0" "$@"
  printf "\\\\0"
' list
`;
