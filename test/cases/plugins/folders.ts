/** Files that a hostile plugin leaves in its folder, made by a shell, and the report of a backup. */
export interface FolderCase {
  name: string;
  source: string;
  /** Run in the plugin's folder. */
  script: string;
  /** The line in the log; undefined: nothing is left out. */
  left_out?: string;
  /** A file that is in the archive, and its size. */
  kept?: { name: string; bytes: number };
}

export const folderCases: readonly FolderCase[] = [
  { name: 'ordinary files', source: 'the common case', script: 'mkdir a; printf hello > a/b', kept: { name: 'a/b', bytes: 5 } },
  {
    name: 'a path that is too long to be restored',
    source: 'POSIX.1-2017, <limits.h>: PATH_MAX',
    script: 'for n in $(seq 25); do mkdir $(printf "%0200d" $n); cd $(printf "%0200d" $n); printf x > f; done',
    left_out: 'name',
  },
  {
    name: 'a sparse file of three gigabytes',
    source: 'lseek(2): a hole reads as zeros',
    script: 'truncate -s 3G sparse; printf x > b',
    left_out: 'bytes',
  },
  {
    name: 'a small sparse file',
    source: 'lseek(2): a hole reads as zeros',
    script: 'truncate -s 1M sparse',
    kept: { name: 'sparse', bytes: 1_048_576 },
  },
  {
    name: 'a pipe that nobody writes to',
    source: 'fifo(7): an opening waits for the other end',
    script: 'mkfifo pipe; printf x > b',
    kept: { name: 'b', bytes: 1 },
  },
  {
    name: 'links to elsewhere, and a link to itself',
    source: 'CWE-59',
    script: 'ln -s /etc/passwd a; ln -s . loop; ln -s self self; printf x > b',
    kept: { name: 'b', bytes: 1 },
  },
  {
    name: 'a device of zeros',
    source: 'zero(4)',
    script: 'mknod zero c 1 5 || true; printf x > b',
    kept: { name: 'b', bytes: 1 },
  },
  {
    name: 'a name with a line break, blanks and signs',
    source: 'CWE-116',
    script: `printf x > "$(printf 'a\\nb \\\\ * é')"`,
    kept: { name: 'a\nb \\ * é', bytes: 1 },
  },
  {
    name: 'a name that is not UTF-8',
    source: 'https://nodejs.org/api/fs.html#file-paths: paths that are no UTF-8',
    script: `printf x > "$(printf 'a\\377')"; printf x > b`,
    kept: { name: 'b', bytes: 1 },
  },
  {
    name: 'more files than the quota',
    source: 'CWE-770',
    script: 'for n in $(seq 2000); do : > $n; done',
    left_out: 'more than',
  },
  {
    name: 'more bytes than the quota',
    source: 'a quota for each plugin',
    script: 'head -c 9000000 /dev/zero > a; head -c 9000000 /dev/zero > b',
    left_out: 'more than',
  },
];
