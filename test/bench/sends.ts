import { until } from '../helpers/eventually.js';
import type { Use } from './chat-server.js';
import { Child } from './child.js';
import type { SendOrder, SendReport } from './sends-clients.js';

const per_second = 100;
const sessions = 50;
const limit = 200;
const warm_up = { per_second: 10, seconds: 2 };

interface Side {
  url: string;
  token?: string;
}

interface Stored {
  id: string;
  status: string;
}

/** Messages sent at a steady rate, to oneself and to an AI employee that answers each, beside bare inserts over HTTP. */
export async function sends(seconds = 60): Promise<Record<string, unknown>[]> {
  const clients = await Child.start('./sends-clients.js');
  const model = await Child.start<{ url: string }>('./streams-model.js');
  try {
    const bare = await Child.start<Side>('./limits/sends.js');
    const its = await measure(clients.child, bare, { sessions: ['one'], seconds });
    await bare.child.stop();
    const rows: Record<string, unknown>[] = [];
    for (const target_type of ['', 'ai'] as const) {
      const server = await Child.start<Side>('./chat-server.js', [model.ready.url]);
      const opened = await open(server.ready, target_type);
      const ours = await measure(clients.child, server, { sessions: opened, seconds });
      const times = target_type === 'ai' ? 2 : 1;
      const wanted = (ours.sent + warm_up.per_second * warm_up.seconds) * times;
      const lost = await until(
        async () => wanted - (await count(server.ready, opened)),
        (missing) => missing === 0,
        60_000,
      ).catch(() => Number.NaN);
      await server.child.stop();
      rows.push({
        to: target_type === 'ai' ? 'an AI employee, each is answered' : 'oneself',
        sent: ours.sent,
        failed: ours.failed,
        first_failure: ours.first_failure,
        lost,
        ms_p50: ours.ms_p50,
        ms_p99: ours.ms_p99,
        limit_ms_p99: its.ms_p99,
        ratio_p99: ours.ms_p99 / its.ms_p99,
        ms_max: ours.ms_max,
        cpu_ms: (ours.cpu_s * 1_000) / ours.sent,
        limit_cpu_ms: (its.cpu_s * 1_000) / its.sent,
        loop_delay_ms_p99: ours.loop_delay_ms_p99,
      });
    }
    return rows;
  } finally {
    await model.child.stop();
    await clients.child.stop();
  }
}

async function measure(
  clients: Child,
  { child, ready }: { child: Child; ready: Side },
  order: Pick<SendOrder, 'sessions' | 'seconds'>,
): Promise<SendReport & Use> {
  // Leaves out what is loaded and compiled on first use.
  await clients.ask<SendReport>({ ...ready, ...order, ...warm_up });
  await child.ask('use');
  const report = await clients.ask<SendReport>({ ...ready, ...order, per_second });
  return { ...report, ...(await child.ask<Use>('use')) };
}

async function open(side: Side, target_type: string): Promise<string[]> {
  const create = () => ask<{ id: string }>(side, '/api/chat/sessions', { title: '', target_type, target_id: '' });
  return Promise.all(Array.from({ length: sessions }, async () => (await create()).id));
}

/** How many messages are stored whole. */
async function count(side: Side, opened: readonly string[]): Promise<number> {
  let whole = 0;
  for (const session_id of opened) {
    for (let before = ''; ; ) {
      const page = await ask<Stored[]>(side, `/api/chat/messages?session_id=${session_id}&limit=${limit}${before}`);
      whole += page.filter(({ status }) => status === 'completed').length;
      if (page.length < limit) break;
      before = `&before=${page[0]?.id}`;
    }
  }
  return whole;
}

async function ask<Answer>({ url, token }: Side, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
