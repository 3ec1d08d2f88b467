import t from 'tap';
import type { ModelAnswerer, StoredImage } from '../../../../extensions/agents/model/prompt.js';
import { Recall } from '../../../../extensions/agents/run/recall.js';
import type { Summaries } from '../../../../extensions/agents/run/summaries.js';
import type { Toolbox } from '../../../../extensions/agents/tools/toolbox.js';
import type { Image, Message, MessageFile, Run } from '../../../../extensions/chat/contract.js';
import { systemClock } from '../../../helpers/databases.js';

const image = (name: string): Image => ({ url: name, mime_type: 'image/png' });
const file = (id: string): MessageFile => ({ id, name: id, mime_type: 'image/png', bytes: 1, sha256: '' });
const message = (id: string, images: Image[], files: MessageFile[] = []): Message =>
  ({ id, role: 'user', sender_id: 5, content: id, images, files }) as unknown as Message;

/** A run whose session has these messages, and what was read of its images. */
function runWith(messages: Message[]) {
  const read: string[] = [];
  const run = {
    session: { id: 's' },
    message: { sender_name: 'Ada' },
    asker: { member_id: 5, scopes: 'all' },
    history: async () => messages,
    image: async ({ url }: Image) => {
      read.push(url);
      if (url === 'gone') throw new Error('It is there no more');
      return { mime_type: 'image/png', bytes: Buffer.from(url) };
    },
    file: async ({ id }: MessageFile) => {
      read.push(id);
      return { mime_type: 'image/png', bytes: Buffer.from(id) };
    },
  } as unknown as Run;
  return { run, read };
}

t.test('the bytes of images are read for each request instead of being kept in memory', async (t) => {
  const eight = Array.from({ length: 8 }, (_, n) => image(`early ${n}`));
  const { run, read } = runWith([message('First', eight), message('Second', [image('gone'), image('late')], [file('file')])]);
  const recall = new Recall({
    summaries: { find: async () => undefined } as unknown as Summaries,
    clock: systemClock,
    zone: async () => null,
  });
  const toolbox = { tools: [], missing: [], guides: () => [] } as unknown as Toolbox;
  const { conversation } = await recall.begin({
    run,
    persona: { name: 'Vic', post: '', mode: 'assistant', instructions: '' },
    toolbox,
    model: {} as ModelAnswerer,
    signal: new AbortController().signal,
    spend: () => undefined,
  });
  const joined = recall.joined({ run, toolbox }, [message('Third', [image('joined')])]);
  const prompts = [...conversation.prompts(), ...joined];
  t.same(read, []);
  t.same(
    prompts.map(({ content, images = [] }) => [content.split('\n')[0], images.length]).slice(1),
    [
      ['First', 5],
      ['Second', 3],
      ['Third', 1],
    ],
    'the latest eight images are read, and new ones too',
  );
  const images = prompts.flatMap((prompt) => prompt.images ?? []).slice(-4) as StoredImage[];
  const bytes = [undefined, ...['late', 'file', 'joined'].map((name) => Buffer.from(name))];
  for (let request = 0; request < 2; request += 1) t.same(await Promise.all(images.map((each) => each.read())), bytes);
  const once = ['gone', 'late', 'file', 'joined'];
  t.same(read, [...once, ...once]);
});
