/**
 * They run as the member, in its own folder: whatever a link there leads to, it is with the member's own rights. Paths
 * come as arguments and are absolute.
 */

/** The file that says that all others are there. */
const marker = '.platform-complete';

/** Says `there` where the files in `$1` are those with the hash `$2`, and notes that they are used. */
export const look = `
if [ -f "$1/${marker}" ] && [ "$(cat "$1/${marker}")" = "$2" ]; then touch "$1" && echo there; else echo absent; fi
`;

/** Adds the `$2` bytes that it reads to `$1`, which has `$3` by now. */
export const append = `
mkdir -p "\${1%/*}" || exit 1
[ "$3" -eq 0 ] && : >"$1"
[ "$(wc -c <"$1")" -eq "$3" ] || { echo 'what came before is gone' >&2; exit 1; }
head -c "$2" >>"$1" || exit 1
[ "$(wc -c <"$1")" -eq "$(($3 + $2))" ] || { echo 'not all of it could be written' >&2; exit 1; }
echo written
`;

/**
 * Unpacks the tar file `$1` and puts what was in it at `$2`, with the hash `$3`. It appears there whole, with its marker.
 * Where another call was quicker, that one's stay. What lies in `$4`, two folders deep, and was not used for 30 days goes; a
 * day is enough for what a call left half done that lost its node.
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

/** Removes the tar file `$1`, and what was unpacked of it. */
export const discard = `
rm -rf "$1" "\${1%.tar}"
echo gone
`;
