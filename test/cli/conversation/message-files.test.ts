import { readFileSync } from 'node:fs';
import t from 'tap';
import type { Api } from '../../../cli/conversation/api.js';
import { Conversation } from '../../../cli/conversation/conversation.js';
import { prepareMessage } from '../../../cli/conversation/message-files.js';
import { readAttachment } from '../../../kernel/client/attachments.js';
import { Failure } from '../../../kernel/contract/failure.js';

const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
const folder = t.testdir({ 'a.txt': 'First', 'b.txt': 'Second', 'dot.gif': gif, '.secret': 'Secret' });
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

/** A conversation whose server has the uploads; a person answers questions. */
function world({ answer = 'n', upload = async (_signal: AbortSignal): Promise<unknown> => undefined } = {}) {
  const calls: unknown[] = [];
  const said: string[] = [];
  let handler: () => void = () => undefined;
  const call = async (id: string, input: { file: { name: string; bytes: Buffer } }, signal: AbortSignal) => {
    if (id !== 'files.upload') return calls.push({ [id]: input });
    await upload(signal);
    calls.push({ upload: [input.file.name, input.file.bytes.toString()] });
    return { id: `id of ${input.file.name}` };
  };
  const conversation = new Conversation({ call } as unknown as Api);
  const interrupts = {
    handle: (of: () => void) => {
      handler = of;
      return () => undefined;
    },
  };
  const prepare = (text: string) =>
    prepareMessage(text, {
      conversation,
      context: { interrupts: interrupts as never, signal: new AbortController().signal },
      isMember: async () => false,
      ask: async (question) => {
        said.push(question);
        return answer;
      },
      say: (line) => said.push(line),
    });
  return { calls, said, conversation, prepare, interrupt: () => handler() };
}

t.test('files of a message are named before they are uploaded, in their order; an image is sent as one', async (t) => {
  const { calls, said, conversation, prepare } = world();
  conversation.attach(await readAttachment('b.txt'));
  const url = `data:application/octet-stream;base64,${gif.toString('base64')}`;
  t.strictSame(await prepare('Look at @a.txt and @dot.gif'), {
    content: 'Look at a.txt and dot.gif',
    attached: { images: [{ url, name: 'dot.gif' }], files: ['id of b.txt', 'id of a.txt'] },
  });
  t.strictSame(said, ['With this message: b.txt (6 B), a.txt (5 B), dot.gif (image, 14 B)']);
  t.strictSame(calls, [{ upload: ['b.txt', 'Second'] }, { upload: ['a.txt', 'First'] }]);
  t.strictSame(await world().prepare('No file'), { content: 'No file', attached: {} });
});

t.test('a text of several lines, a hidden file and one elsewhere are asked about first', async (t) => {
  for (const text of ['Pasted\n@a.txt', '@.secret', '@/etc/hostname']) {
    const { calls, said, prepare } = world();
    await t.rejects(prepare(text), { message: 'Nothing was sent' }, text);
    t.match(said, [/^With this message: /, 'The message names this file. Send it? [y/n] ']);
    t.strictSame(calls, []);
  }
  const { calls, prepare } = world({ answer: 'Y ' });
  t.match(await prepare('Pasted\n@a.txt @b.txt'), { attached: { files: ['id of a.txt', 'id of b.txt'] } });
  t.equal(calls.length, 2);
});

t.test('if an upload fails or is interrupted, nothing is sent and what was attached stays', async (t) => {
  const full = new Failure('quota_exceeded', 'Your quota is full', { status: 413 });
  const refusing = world({ upload: async () => Promise.reject(full) });
  refusing.conversation.attach(await readAttachment('b.txt'));
  await t.rejects(refusing.prepare('Hello'), {
    code: 'quota_exceeded',
    message: "Nothing was sent: 'b.txt' could not be uploaded. Your quota is full",
  });
  t.equal(refusing.conversation.attachments.length, 1);
  refusing.conversation.detach();
  t.strictSame(await refusing.prepare('Hello'), { content: 'Hello', attached: {} });
});

t.test('Ctrl-C during an upload ends it, and the conversation goes on', async (t) => {
  let begun: () => void = () => undefined;
  const uploading = new Promise<void>((resolve) => (begun = resolve));
  const { prepare, interrupt, calls } = world({
    upload: (signal) =>
      new Promise((_resolve, reject) => {
        begun();
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  const prepared = prepare('@a.txt');
  await uploading;
  interrupt();
  await t.rejects(prepared, { message: 'Nothing was sent' });
  t.strictSame(calls, []);
});

t.test('at most ten files go with a message', async (t) => {
  const { calls, conversation, prepare } = world();
  for (let count = 0; count < 11; count += 1) conversation.attach(await readAttachment('a.txt'));
  await t.rejects(prepare('Hello'), { message: 'Nothing was sent: a message has at most 10 files and 10 images' });
  t.strictSame(calls, []);
});

t.test('an image is one by its bytes, whatever its name', async (t) => {
  t.match(await readAttachment('dot.gif'), { kind: 'image', bytes: readFileSync('dot.gif').length });
  t.match(await readAttachment('a.txt'), { kind: 'file', name: 'a.txt' });
});
