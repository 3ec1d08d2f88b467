import t from 'tap';
import { ImageThumbnails } from '../../../../extensions/chat/images/thumbnails.js';
import type { Thumbnails } from '../../../../kernel/contract/index.js';

const image = async () => Buffer.from('image');
const thumbnail = { bytes: Buffer.from('small'), mime_type: 'image/webp' } as const;

t.test('an image is made small once, whoever asks and whether it has a thumbnail', async (t) => {
  const made: string[] = [];
  const of: Thumbnails['of'] = async (bytes) => {
    made.push(String(bytes));
    return String(bytes) === 'image' ? thumbnail : undefined;
  };
  const thumbnails = new ImageThumbnails({ of });
  const asked = ['a', 'a', 'a'].map((hash) => thumbnails.of(hash, image));
  for (const answer of await Promise.all(asked)) t.match(answer, { ...thumbnail, etag: 'a-thumbnail' });
  for (let times = 0; times < 2; times += 1)
    await t.rejects(
      thumbnails.of('b', async () => Buffer.from('text')),
      { code: 'no_thumbnail' },
    );
  t.same(made, ['image', 'text']);
});

t.test('a thumbnail that is not made in time is refused as busy, and the next caller tries again', async (t) => {
  // A timeout signal doesn't keep a process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  let isBusy = true;
  const of: Thumbnails['of'] = (_bytes, { signal } = {}) =>
    isBusy
      ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
      : Promise.resolve(thumbnail);
  const thumbnails = new ImageThumbnails({ of }, { wait_ms: 5 });
  await t.rejects(thumbnails.of('a', image), { code: 'server_busy', status: 503 });
  isBusy = false;
  t.match(await thumbnails.of('a', image), thumbnail);
});
