import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import t from 'tap';
import { blue, open } from './maker.js';

/** A PNG of one bit for each pixel, which is complete and small. */
function bits(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
    bytes.writeUInt32BE(data.length, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const pixels = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([start, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

t.test('what is no image, damaged or too large has no small picture', async (t) => {
  const thumbnails = await open(t);
  const png = await blue(64, 64).png().toBuffer();
  const none: Record<string, Buffer> = {
    'no bytes': Buffer.alloc(0),
    text: Buffer.from('GIF89 is a format'),
    'SVG, which can name other files': Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd"/></svg>',
    ),
    'TIFF, which browsers do not show': await blue(64, 64).tiff().toBuffer(),
    'an image that is cut off': png.subarray(0, 60),
    'more pixels than are decoded': bits(8_000, 6_300),
  };
  for (const [what, bytes] of Object.entries(none)) t.equal(await thumbnails.of(bytes), undefined, what);
  const { width, height } = await sharp((await thumbnails.of(bits(640, 504)))?.bytes).metadata();
  t.same([width, height], [512, 403], 'a smaller one of the same kind is decoded');
});
