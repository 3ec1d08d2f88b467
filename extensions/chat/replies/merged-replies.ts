import type { StreamEvent } from '../../../kernel/contract/index.js';
import type { Task } from '../contract.js';
import type { Ports } from '../ports.js';
import { type Following, ReplyEvents } from './reply-events.js';

/** Separates the cursors of several replies in the cursor of their stream; a cursor has none. */
const separator = '~';
/** Limit of a cursor that operations accept, reached by some 30 replies. */
const max_cursor = 2_000;

interface Source {
  index: number;
  events: AsyncIterator<StreamEvent>;
}

interface Arrival extends Source {
  step: IteratorResult<StreamEvent>;
}

/** Iterates over the events of several tasks that answer one message, as they come, with one `done` after the last. */
export async function* mergedReplies(
  tasks: readonly Task[],
  { after, ...following }: Following,
  ports: Ports,
): AsyncGenerator<StreamEvent> {
  const cursors = tasks.map((_task, index) => after?.split(separator)[index] ?? '');
  const pending = new Map<number, Promise<Arrival>>();
  const sources = tasks.map((task, index): Source => {
    const from = cursors[index];
    return { index, events: new ReplyEvents(task, { ...following, ...(from ? { after: from } : {}) }, ports) };
  });
  const read = (source: Source) => {
    pending.set(
      source.index,
      source.events.next().then((step) => ({ ...source, step })),
    );
  };
  try {
    for (const source of sources) read(source);
    let last: StreamEvent | undefined;
    while (pending.size > 0) {
      const { step, ...source } = await Promise.race(pending.values());
      pending.delete(source.index);
      if (step.done) continue;
      const event = step.value;
      cursors[source.index] = event.id ?? cursors[source.index] ?? '';
      read(source);
      if (event.type === 'done') last = event;
      else yield withCursor(event, cursors.join(separator));
    }
    if (last) yield { type: last.type, data: last.data };
  } finally {
    for (const promise of pending.values()) promise.catch(() => undefined);
    await Promise.all(sources.map(async ({ events }) => events.return?.()));
  }
}

/** Returns an event with the cursor of all replies. One that is too long is left out: after a reconnection the stream begins anew. */
function withCursor({ id, type, data }: StreamEvent, cursor: string): StreamEvent {
  return id === undefined || cursor.length > max_cursor ? { type, data } : { id: cursor, type, data };
}
