import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import sharp from 'sharp';
import t from 'tap';
import { blue, open } from './maker.js';

t.test('images of all kinds that browsers show have small pictures', async (t) => {
  const thumbnails = await open(t);
  const large = blue(600, 300);
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
