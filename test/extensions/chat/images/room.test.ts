import t from 'tap';
import { Images } from '../../../../extensions/chat/images/images.js';
import type { ImageThumbnails } from '../../../../extensions/chat/images/thumbnails.js';
import type { ImageRows } from '../../../../extensions/chat/store/images-sql.js';
import type { Blobs, FetchAnswer } from '../../../../kernel/contract/index.js';
import { dataUrl, png } from '../pictures.js';

const url = 'https://pictures.test/a.png';
const admit = async () => undefined;

t.test('the memory of images being fetched is limited for all messages together', async (t) => {
  const answers: (() => void)[] = [];
  const fetch = (): Promise<FetchAnswer> => {
    return new Promise((resolve) => answers.push(() => resolve({ status: 200, url, body: png() } as unknown as FetchAnswer)));
  };
  const blobs = { put: async () => 'sha256:a' } as unknown as Blobs;
  const images = new Images({ rows: {} as ImageRows, blobs, fetch, thumbnails: {} as ImageThumbnails });
  const taken = Array.from({ length: 20 }, () => images.take([url], admit));
  t.match(await images.take([dataUrl(png())], admit), [{ hash: 'a' }], 'images in the message itself do not wait');
  t.equal(answers.length, 12, 'each message may fetch 20 MiB');
  answers[0]?.();
  await taken[0];
  while (answers.length < 13) await new Promise((resolve) => setImmediate(resolve));
  for (let next = 1; next < 20; next += 1) {
    while (answers.length <= next) await new Promise((resolve) => setImmediate(resolve));
    t.ok(answers.length <= next + 12);
    answers[next]?.();
    await taken[next];
  }
  t.equal((await Promise.all(taken)).length, 20);
});
