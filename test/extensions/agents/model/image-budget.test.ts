import t from 'tap';
import { ImageBudget, type ImageUrls } from '../../../../extensions/agents/model/image-budget.js';
import type { ModelRequest, Prompt, PromptImage, StoredImage } from '../../../../extensions/agents/model/prompt.js';
import { Limiter } from '../../../../kernel/contract/index.js';

const mime_type = 'image/png';
const kept = (size: number | undefined): StoredImage => {
  return { mime_type, read: async () => (size === undefined ? undefined : new Uint8Array(size)) };
};
const askOf = (...messages: PromptImage[][]): ModelRequest => {
  const prompts = messages.map((images): Prompt => ({ role: 'user', content: '', images }));
  return { prompts, signal: new AbortController().signal };
};

/** How many bytes are shown of each image. */
function shown(ask: ModelRequest, urls: ImageUrls): (number | undefined)[] {
  return ask.prompts.flatMap(({ images = [] }) =>
    images.map((image) => {
      const [, data] = urls.get(image)?.split('data:image/png;base64,') ?? [];
      return data === undefined ? undefined : Buffer.from(data, 'base64').length;
    }),
  );
}

t.test('sends the latest images that fit and exist', async (t) => {
  const mib = 1024 * 1024;
  const ask = askOf([kept(2), kept(13 * mib)], [kept(undefined), { mime_type, bytes: new Uint8Array(3) }], [kept(10 * mib)]);
  t.same(await new ImageBudget().withImages(ask, async (urls) => shown(ask, urls)), [2, undefined, undefined, 3, 10 * mib]);
});

t.test('limits the memory of concurrent requests, and waiting callers can leave', async (t) => {
  const sight = new ImageBudget(new Limiter(40 * 1024 * 1024));
  const under_way: (() => void)[] = [];
  let reads = 0;
  const read = async () => {
    reads += 1;
    return new Uint8Array(15 * 1024 * 1024);
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const ask = () => sight.withImages(askOf([{ mime_type, read }]), () => new Promise<void>((resolve) => under_way.push(resolve)));
  const asked = [ask(), ask(), ask()];
  while (under_way.length < 2) await settled();
  await settled();
  t.equal(reads, 2, 'the third image is not read');
  const leaving = sight.withImages(
    { ...askOf([{ mime_type, read }]), signal: AbortSignal.abort(new Error('Left')) },
    async () => undefined,
  );
  await t.rejects(leaving, { message: 'Left' });
  under_way[0]?.();
  await asked[0];
  while (under_way.length < 3) await settled();
  t.equal(reads, 3);
  for (const end of under_way) end();
  await Promise.all(asked);
});
