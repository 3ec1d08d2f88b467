/**
 * Scripts run as the member in its own folder: links are followed with the member's own permissions. Paths are passed
 * as arguments and are absolute.
 */

/** File that marks a complete copy. */
const marker = '.platform-complete';

/** Prints `there` if `$1` holds the files with the hash `$2`, and marks them as used. */
export const look = `
if [ -f "$1/${marker}" ] && [ "$(cat "$1/${marker}")" = "$2" ]; then touch "$1" && echo there; else echo absent; fi
`;

/** Appends `$2` bytes of its input to `$1`, which has `$3` bytes so far. */
export const append = `
mkdir -p "\${1%/*}" || exit 1
[ "$3" -eq 0 ] && : >"$1"
[ "$(wc -c <"$1")" -eq "$3" ] || { echo 'what came before is gone' >&2; exit 1; }
head -c "$2" >>"$1" || exit 1
[ "$(wc -c <"$1")" -eq "$(($3 + $2))" ] || { echo 'not all of it could be written' >&2; exit 1; }
echo written
`;

/**
 * Unpacks the tar file `$1` and moves the content to `$2`, with the hash `$3`. The folder appears complete, with its
 * marker. If another call was faster, its files stay. Entries of `$4`, two folders deep, that were unused for 30 days
 * are deleted, and partial copies of calls that lost their node after a day.
 */
export const unpack = `
part=\${1%.tar}
trap 'rm -rf "$part" "$1"' EXIT
umask 022
mkdir "$part" && tar -xf "$1" -C "$part" || exit 1
printf %s "$3" >"$part/${marker}" || exit 1
if ! { [ -f "$2/${marker}" ] && [ "$(cat "$2/${marker}")" = "$3" ]; }; then
  rm -rf "$2" && mv "$part" "$2" || exit 1
  rm -rf "$2/\${part##*/}"
fi
touch "$2"
find "$4" -mindepth 2 -maxdepth 2 \\( -mtime +30 -o -name '.*' -mtime +0 \\) -exec rm -rf {} + 2>/dev/null
echo placed
`;

/** Removes the tar file `$1` and its unpacked content. */
export const discard = `
rm -rf "$1" "\${1%.tar}"
echo gone
`;
