import t from 'tap';
import { AskedDocuments } from '../../../../extensions/agents/openai/asked-documents.js';
import type { Documents } from '../../../../kernel/contract/index.js';
import { CachedTexts } from '../../../../kernel/platform/documents/texts.js';
import { failureOf } from '../../chat/world.js';

t.test("a member's slow documents don't keep others waiting, and only a few of them wait", async (t) => {
  const read: string[] = [];
  const end = new AbortController();
  const documents: Pick<Documents, 'read'> = {
    read: async (_bytes, { name, signal }) => {
      read.push(name);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  };
  const texts = new CachedTexts(documents, { max_waiting: 8 });
  const asked = new AskedDocuments({ texts, file: async () => t.fail('no file is named by its id') as never });
  const ask = (name: string, member_id: number) => {
    const file = { path: 'file', content: { name, mime_type: 'text/plain', bytes: Buffer.from(name) } };
    const request = { model: 'ada', notes: '', tools: [], stream: false, include_usage: false };
    const prompts = [{ role: 'user' as const, content: '', pieces: [file] }];
    return asked.read({ ...request, prompts }, { caller: { member_id, scopes: ['chat'] }, signal: end.signal });
  };
  const all = Array.from({ length: 9 }, (_, at) => ask(`slow ${at}`, 1));
  const outcomes = Promise.allSettled([...all, ask('other', 2)]);
  await new Promise(setImmediate);
  t.same(read, ['slow 0', 'other']);
  t.match(await failureOf(ask('one more', 1)), { code: 'server_busy', status: 503 });
  end.abort(new Error('enough'));
  await outcomes;
});
