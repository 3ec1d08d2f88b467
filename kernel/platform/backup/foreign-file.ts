const kinds: readonly { prefix: readonly number[] | string; description: string }[] = [
  { prefix: 'PK\u0003\u0004', description: 'a ZIP archive' },
  { prefix: 'PK\u0005\u0006', description: 'an empty ZIP archive' },
  { prefix: 'SQLite format 3\0', description: 'an SQLite database, not an archive of one' },
  { prefix: 'PGDMP', description: "a dump of PostgreSQL, which PostgreSQL's own pg_restore reads" },
  { prefix: [0x1f, 0x8b], description: 'compressed with gzip: unpack it with gunzip' },
  { prefix: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], description: 'compressed with xz: unpack it with unxz' },
  { prefix: [0x28, 0xb5, 0x2f, 0xfd], description: 'compressed with zstd: unpack it with unzstd' },
  { prefix: 'BZh', description: 'compressed with bzip2: unpack it with bunzip2' },
  { prefix: 'age-encryption.org/', description: 'encrypted with age: decrypt it first' },
  { prefix: '-----BEGIN PGP', description: 'encrypted with PGP: decrypt it first' },
];

/** POSIX.1-1988 (ustar): the magic of a tar header, which both GNU and POSIX archives have. */
const tar_magic = { at: 257, text: 'ustar' } as const;
const header_bytes = 512;

/** Describes a file that is not a tar archive, by its first 512 bytes; undefined for a tar, or if there are too few bytes. */
export function foreignKind(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  const kind = kinds.find(({ prefix }) => text.startsWith(typeof prefix === 'string' ? prefix : String.fromCharCode(...prefix)));
  if (kind !== undefined) return kind.description;
  return head.length < header_bytes || text.startsWith(tar_magic.text, tar_magic.at) ? undefined : 'not a tar archive';
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}
