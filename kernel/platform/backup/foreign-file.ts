const kinds: readonly { begins: readonly number[] | string; is: string }[] = [
  { begins: 'PK\u0003\u0004', is: 'a ZIP archive' },
  { begins: 'PK\u0005\u0006', is: 'an empty ZIP archive' },
  { begins: 'SQLite format 3\0', is: 'an SQLite database, not an archive of one' },
  { begins: 'PGDMP', is: "a dump of PostgreSQL, which PostgreSQL's own pg_restore reads" },
  { begins: [0x1f, 0x8b], is: 'compressed with gzip: unpack it with gunzip' },
  { begins: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], is: 'compressed with xz: unpack it with unxz' },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], is: 'compressed with zstd: unpack it with unzstd' },
  { begins: 'BZh', is: 'compressed with bzip2: unpack it with bunzip2' },
  { begins: 'age-encryption.org/', is: 'encrypted with age: decrypt it first' },
  { begins: '-----BEGIN PGP', is: 'encrypted with PGP: decrypt it first' },
];

/** POSIX.1-1988 (ustar): the magic of a tar header, which both GNU and POSIX archives have. */
const tar_magic = { at: 257, text: 'ustar' } as const;
const header_bytes = 512;

/** Says what a file is that is no tar archive, by its first 512 bytes; undefined for a tar, or for too little of one to know. */
export function foreignKind(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  const known = kinds.find(({ begins }) => text.startsWith(typeof begins === 'string' ? begins : String.fromCharCode(...begins)));
  if (known !== undefined) return known.is;
  return head.length < header_bytes || text.startsWith(tar_magic.text, tar_magic.at) ? undefined : 'no tar archive';
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}
