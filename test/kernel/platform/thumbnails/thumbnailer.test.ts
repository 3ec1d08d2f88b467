import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import t, { type Test } from 'tap';
import { Containment } from '../../../../kernel/platform/sandbox/walls/containment.js';
import { Thumbnailer } from '../../../../kernel/platform/thumbnails/thumbnailer.js';
import { temporaryFolder } from '../../../helpers/platform.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Opens a maker of thumbnails that makes them where walls are refused too. */
async function open(t: Test): Promise<Thumbnailer> {
  const data_dir = await temporaryFolder(t);
  const walls = new Containment({ data_dir, trusted: ['kernel.thumbnails'] });
  const thumbnails = new Thumbnailer({ walls, data_dir, log });
  t.teardown(async () => {
    await thumbnails.dispose();
    await walls.dispose();
  });
  return thumbnails;
}

const blue = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#3366cc' } });

t.test('images of all kinds that browsers show have small pictures', async (t) => {
  const thumbnails = await open(t);
  const large = blue(1_200, 600);
  for (const [kind, bytes] of Object.entries({
    png: await large.clone().png().toBuffer(),
    jpeg: await large.clone().jpeg().toBuffer(),
    gif: await large.clone().gif().toBuffer(),
    webp: await large.clone().webp().toBuffer(),
    avif: await large.clone().avif({ effort: 0 }).toBuffer(),
  })) {
    const thumbnail = await thumbnails.of(bytes);
    t.equal(thumbnail?.mime_type, 'image/webp', kind);
    t.match(await sharp(thumbnail?.bytes).metadata(), { format: 'webp', width: 512, height: 256 }, kind);
  }
});

t.test('a small picture is upright, without metadata, and never larger than its image', async (t) => {
  const thumbnails = await open(t);
  const lying = await blue(800, 400)
    .withExif({ IFD0: { Copyright: 'Ada' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const upright = await sharp((await thumbnails.of(lying))?.bytes).metadata();
  t.match(upright, { width: 256, height: 512 });
  t.same([upright.exif, upright.icc, upright.orientation], [undefined, undefined, undefined]);
  const tiny = await thumbnails.of(await blue(3, 2).png().toBuffer());
  t.match(await sharp(tiny?.bytes).metadata(), { width: 3, height: 2 });
});

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
    'more pixels than are decoded': await blue(8_000, 6_300).png().toBuffer(),
  };
  for (const [what, bytes] of Object.entries(none)) t.equal(await thumbnails.of(bytes), undefined, what);
});

t.test('nothing of an image stays, whether its small picture was made or the platform has shut down', async (t) => {
  const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`platform-plugin-${process.pid}-`));
  const thumbnails = await open(t);
  const png = await blue(64, 64).png().toBuffer();
  await thumbnails.of(png);
  t.same(spools(), []);
  const making = thumbnails.of(png).catch((fault: unknown) => fault);
  await thumbnails.dispose();
  t.match(await making, { code: 'shutting_down' });
  t.same(spools(), []);
});
