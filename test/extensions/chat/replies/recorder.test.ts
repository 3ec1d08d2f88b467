import t from 'tap';
import { append } from '../../../../extensions/chat/replies/recorder.js';
import type { Log } from '../../../../kernel/contract/index.js';
import { MemoryJournal } from '../../../../kernel/platform/journal/memory.js';

t.test('only the event that is too large for the journal is missing', async (t) => {
  const warnings: string[] = [];
  const log = { warn: (sentence: string) => warnings.push(sentence) } as unknown as Log;
  const journal = new MemoryJournal({ clock: { now: () => 0, iso: () => '1' } });
  const event = (seq: number, delta: string) => ({ type: 'message.delta', data: { seq, task_id: 't', message_id: 'm', delta } });
  await append({ journal, log, task_id: 't', session_id: 's' }, [event(1, 'a'), event(2, 'b'.repeat(70_000)), event(3, 'c')]);
  const read: unknown[] = [];
  for await (const { data } of journal.follow('task:t', { signal: AbortSignal.timeout(30_000) })) {
    read.push((data as { seq: number }).seq);
    if (read.length === 2) break;
  }
  t.same(read, [1, 3]);
  t.equal(warnings.length, 1);
});
