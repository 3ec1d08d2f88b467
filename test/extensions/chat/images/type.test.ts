import { randomBytes } from 'node:crypto';
import t from 'tap';
import { imageTypeOf } from '../../../../extensions/chat/images/type.js';
import { gif, jpeg, png, webp } from '../pictures.js';

t.test('the type and size of an image are detected from its bytes', async (t) => {
  const size = { width: 640, height: 480 };
  t.same(imageTypeOf(png(640, 480)), { mime_type: 'image/png', ...size });
  t.same(imageTypeOf(gif(640, 480)), { mime_type: 'image/gif', ...size });
  t.same(imageTypeOf(jpeg(640, 480)), { mime_type: 'image/jpeg', ...size });
  for (const form of ['VP8 ', 'VP8L', 'VP8X'] as const)
    t.same(imageTypeOf(webp(form, 640, 480)), { mime_type: 'image/webp', ...size }, form);
});

t.test('other data is rejected as an image, and the detection always terminates', async (t) => {
  for (const text of [
    '',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    '<html>',
    '%PDF-1.7',
    'MZ',
    'RIFF....WAVE',
    'GIF',
    '\x89PNG\r\n\x1a\n',
  ])
    t.equal(imageTypeOf(Buffer.from(text, 'latin1')), undefined, JSON.stringify(text));
  t.equal(imageTypeOf(png(0, 5)), undefined, 'an image without pixels is rejected');
  t.equal(
    imageTypeOf(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])),
    undefined,
    'endless fill bytes are rejected',
  );
  for (const whole of [png(), gif(), jpeg(), webp('VP8 '), webp('VP8L'), webp('VP8X')]) {
    for (let length = 0; length < whole.length; length += 1) imageTypeOf(whole.subarray(0, length));
    for (let turn = 0; turn < 300; turn += 1) {
      const spoilt = Buffer.concat([whole.subarray(0, 12), randomBytes(200)]);
      imageTypeOf(spoilt);
    }
  }
  t.pass('every truncated and damaged image is handled');
});
