import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a ZIP, with whatever is to be wrong about it. */
export interface Part {
  name: string | Buffer;
  content?: string | Buffer;
  /** Default 8, deflate. */
  method?: number;
  /** Default 0x800: the name is UTF-8. With 8, a descriptor follows the content. */
  flags?: number;
  /** Upper half of the attributes; default a plain file's, or a folder's where the name ends with a slash. */
  mode?: number;
  /** Lower half. */
  dos?: number;
  extra?: Buffer;
  comment?: Buffer;
  /** Bytes in place of the compressed content. */
  data?: Buffer;
  /** Values of both headers, in place of the true ones. */
  crc?: number;
  packed?: number;
  unpacked?: number;
  /** Values of only the header before the content. */
  local?: Partial<Fields>;
  /** Where the directory says that the entry begins, in place of where it does. */
  offset?: number;
  /** Bytes before it that belong to nothing. */
  gap?: Buffer;
  /** Bytes after the content, in place of a right descriptor. */
  descriptor?: Buffer;
}

interface Fields {
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  unpacked: number;
  extra: Buffer;
}

export interface Ending {
  comment?: Buffer;
  /** Bytes after everything else. */
  behind?: Buffer;
  /** Between the last entry and the directory, and between that and its end. */
  before?: Buffer;
  between?: Buffer;
  entries?: number;
  disk?: number;
  start?: number;
  length?: number;
}

const numbers = (...pairs: [value: number, bytes: 2 | 4][]): Buffer =>
  Buffer.concat(
    pairs.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      if (bytes === 2) buffer.writeUInt16LE(value & 0xffff);
      else buffer.writeUInt32LE(value >>> 0);
      return buffer;
    }),
  );

function fieldsOf(part: Part): Fields & { data: Buffer } {
  const content = Buffer.from(part.content ?? '');
  const method = part.method ?? 8;
  const data = part.data ?? (method === 8 ? deflateRawSync(content) : content);
  return {
    name: Buffer.from(part.name),
    flags: part.flags ?? 0x800,
    method,
    crc: part.crc ?? crc32(content),
    packed: part.packed ?? data.length,
    unpacked: part.unpacked ?? content.length,
    extra: part.extra ?? Buffer.alloc(0),
    data,
  };
}

/** A ZIP, byte by byte. */
export function zipOf(parts: readonly Part[], ending: Ending = {}): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const push = (bytes: Buffer) => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const part of parts) {
    if (part.gap) push(part.gap);
    const fields = fieldsOf(part);
    directory.push(listed(part, fields, part.offset ?? at));
    push(headed(part, fields));
    push(fields.data);
    if ((fields.flags & 8) !== 0) {
      push(part.descriptor ?? numbers([0x08074b50, 4], [fields.crc, 4], [fields.packed, 4], [fields.unpacked, 4]));
    }
  }
  if (ending.before) push(ending.before);
  const start = at;
  const listing = Buffer.concat(directory);
  push(listing);
  if (ending.between) push(ending.between);
  const comment = ending.comment ?? Buffer.alloc(0);
  const count = ending.entries ?? parts.length;
  const counts: [number, 2][] = [
    [ending.disk ?? 0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
  ];
  push(numbers([0x06054b50, 4], ...counts, [ending.length ?? listing.length, 4], [ending.start ?? start, 4], [comment.length, 2]));
  push(comment);
  push(ending.behind ?? Buffer.alloc(0));
  return Buffer.concat(pieces);
}

function headed(part: Part, fields: Fields): Buffer {
  const later = (fields.flags & 8) !== 0;
  const own = { ...fields, ...(later ? { crc: 0, packed: 0, unpacked: 0 } : {}), ...part.local };
  return Buffer.concat([
    numbers([0x04034b50, 4], [20, 2], [own.flags, 2], [own.method, 2], [0, 2], [0x21, 2]),
    numbers([own.crc, 4], [own.packed, 4], [own.unpacked, 4], [own.name.length, 2], [own.extra.length, 2]),
    own.name,
    own.extra,
  ]);
}

function listed(part: Part, fields: Fields, offset: number): Buffer {
  const isFolder = fields.name.at(-1) === 0x2f;
  const mode = part.mode ?? (isFolder ? 0o040755 : 0o100644);
  const comment = part.comment ?? Buffer.alloc(0);
  return Buffer.concat([
    numbers([0x02014b50, 4], [(3 << 8) | 20, 2], [20, 2], [fields.flags, 2], [fields.method, 2], [0, 2], [0x21, 2]),
    numbers(
      [fields.crc, 4],
      [fields.packed, 4],
      [fields.unpacked, 4],
      [fields.name.length, 2],
      [fields.extra.length, 2],
      [comment.length, 2],
    ),
    numbers([0, 2], [0, 2], [mode * 65_536 + (part.dos ?? 0), 4], [offset, 4]),
    fields.name,
    fields.extra,
    comment,
  ]);
}

/** An extra field (APPNOTE 4.5). */
export function extraField(id: number, data: Buffer): Buffer {
  return Buffer.concat([numbers([id, 2], [data.length, 2]), data]);
}
