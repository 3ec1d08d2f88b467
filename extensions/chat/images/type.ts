/** Pixel limit of images that clients may show, because a small file may contain one that exhausts a viewer's memory. */
export const max_pixels = 50_000_000;

/** Type and size of an image, detected from its bytes whatever its sender calls it. */
export interface ImageType {
  mime_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  width: number;
  height: number;
}

/** Returns the type and size of an image; undefined for anything else, including SVG, which can contain scripts. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  for (const read of [png, jpeg, gif, webp]) {
    try {
      const found = read(bytes);
      if (found) return found.width > 0 && found.height > 0 ? found : undefined;
    } catch (fault) {
      // The file ends before its size field.
      if (!(fault instanceof RangeError)) throw fault;
      return undefined;
    }
  }
  return undefined;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;

/** PNG (RFC 2083): the first chunk is IHDR. */
function png(bytes: Buffer): ImageType | undefined {
  if (!startsWith(bytes, '\x89PNG\r\n\x1a\n') || !startsWith(bytes, 'IHDR', 12)) return undefined;
  return { mime_type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageType | undefined {
  if (!startsWith(bytes, 'GIF87a') && !startsWith(bytes, 'GIF89a')) return undefined;
  return { mime_type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** JPEG (ITU T.81): the segment that starts a frame contains the size. */
function jpeg(bytes: Buffer): ImageType | undefined {
  if (!startsWith(bytes, '\xff\xd8\xff')) return undefined;
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1;
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return { mime_type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
}

/** WebP (RFC 9649): each of its three forms has the size at another position. */
function webp(bytes: Buffer): ImageType | undefined {
  if (!startsWith(bytes, 'RIFF') || !startsWith(bytes, 'WEBP', 8)) return undefined;
  const mime_type = 'image/webp';
  if (startsWith(bytes, 'VP8X', 12)) return { mime_type, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (startsWith(bytes, 'VP8 ', 12)) return { mime_type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (!startsWith(bytes, 'VP8L', 12)) return undefined;
  const bits = bytes.readUInt32LE(21);
  return { mime_type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
