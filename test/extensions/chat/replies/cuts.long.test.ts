import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { frames } from '../../../../kernel/client/sse.js';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { Reader } from '../../../kernel/platform/http/reader.js';
import { login, onEachPlatform, replyTo, textOf } from '../world.js';

const cuts_wanted = 50;

/** A stream, and the last cursor that was read of it. */
interface Place {
  url: string;
  token: string;
  after: string | undefined;
}

/** Reads on from there until the connection is cut, after so many bytes; gives the events that came whole. */
async function readUntilCut({ url, token, after }: Place, bytes: number): Promise<StreamEvent[]> {
  const headers = { authorization: `Bearer ${token}`, ...(after ? { 'last-event-id': after } : {}) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => get(url, { headers }, resolve).on('error', reject));
  const events: StreamEvent[] = [];
  for await (const { id, event = '', data } of frames(firstOf(response, bytes)))
    if (data !== undefined) events.push({ ...(id === undefined ? {} : { id }), type: event, data: JSON.parse(data) });
  return events;
}

/** Yields the first bytes, then destroys the connection. */
async function* firstOf(response: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of response) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

t.test('a reader cut off 50 times at any byte resumes by Last-Event-ID without loss', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    let cuts = 0;
    model.script(async (exchange) => {
      for (let n = 0; cuts < cuts_wanted && !exchange.isClosed; n += 1) {
        exchange.text(`${n} zwölf 漢字 👩‍🚀 `);
        if (n % 3 === 0) await sleep(2);
      }
      exchange.finish();
    });
    const client = await login(t, platform);
    const sent = await client.chat.send({ content: 'Count' });
    const url = `${platform.url}/api/chat/stream/${sent.message_id}`;
    const events: StreamEvent[] = [];
    while (events.at(-1)?.type !== 'done') {
      const bytes = cuts < cuts_wanted ? 1 + Math.floor(Math.random() * 4_000) : Number.POSITIVE_INFINITY;
      const after = events.findLast(({ id }) => id !== undefined)?.id;
      events.push(...(await readUntilCut({ url, token: client.token, after }, bytes)));
      cuts += 1;
    }
    t.ok(cuts > cuts_wanted, `the stream was cut ${cuts - 1} times and then ended`);
    const reply = await replyTo(client, sent);
    t.equal(reply.status, 'completed');
    t.equal(textOf(events), reply.content, 'the read text equals the stored one byte by byte');
    const seqs = events.filter(({ id }) => id).map(({ data }) => (data as { seq: number }).seq);
    t.same(seqs, [...seqs.keys()], 'the events have no gap and no repetition');
  });
});

t.test('a session reader cut off before its first event resumes at its start', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = await login(t, platform);
    const open = (session_id: string, after: Record<string, string> = {}) =>
      Reader.open(`${platform.url}/api/chat/stream?session_id=${session_id}`, { authorization: `Bearer ${client.token}`, ...after });
    const { id: session_id } = await client.sessions.create({ title: 'Quiet', target_type: '', target_id: '' });
    const cut = await open(session_id);
    const from = await until(() => cut.from, Boolean);
    cut.leave();
    for (const content of ['First', 'Second']) await client.chat.send({ content, session_id });
    const again = await open(session_id, { 'last-event-id': from as string });
    const contents = () => again.events.map(({ data }) => (data as { message?: { content: string } }).message?.content);
    await becomes(t, contents, ['First', 'Second']);
    again.leave();

    let seen = false;
    model.script(async (exchange) => {
      exchange.text('Zero');
      await until(() => seen, Boolean);
      exchange.finish();
    });
    const sent = await client.chat.send({ content: 'Count' });
    await replyTo(client, sent);
    // From a cursor on it would be told the rest of this reply alone.
    for (let turn = 0; turn < 2; turn += 1) {
      const late = await open(sent.session_id);
      await becomes(t, () => late.events[0]?.event, 'snapshot');
      t.equal(late.from, undefined, 'a stream reports no starting position during a reply');
      late.leave();
    }
    seen = true;
  });
});
