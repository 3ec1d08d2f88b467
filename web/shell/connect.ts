import { browser, entryOperation } from '../../kernel/client/browser/index.js';
import { type Connection, type Start, setConnection } from '../kit/data/connection.js';
import { clearStored, Kept } from '../kit/data/kept.js';
import { LiveHub } from '../kit/data/live-hub.js';
import { Outbox } from '../kit/data/outbox.js';
import { applyPreferences } from '../kit/data/preferences.js';
import { createQueryClient } from '../kit/data/query.js';
import type { Session } from '../kit/data/session.js';
import { Value } from '../kit/data/value.js';
import { takeStart } from './early-start.js';

const startOperation = entryOperation('GET', '/api/web/start');

/** Builds everything that the pages of the logged-in member share. Rejects if the server can't say what there is. */
export async function connectMember(session: Session, prefix: string): Promise<Connection> {
  const transport = browser({
    url: location.origin + prefix,
    token: () => session.token(),
    renew: () => session.renew(),
  });
  const readStart = async () =>
    (await transport.call({ id: 'web.start', operation: startOperation, input: {}, options: {} })).body as Start;
  const first = ((await takeStart()) as Start | undefined) ?? (await readStart());
  applyPreferences(first.settings);
  const query = createQueryClient();
  const live = new LiveHub({ transport, session, query });
  const stored = `platform${prefix}:${first.me.id}:`;
  const start = new Value(first);
  const plan = startReader(start, readStart);
  const connection: Connection = {
    prefix,
    session,
    transport,
    query,
    live,
    kept: new Kept(`${stored}kept:`),
    outbox: new Outbox(`${stored}outbox:`),
    start,
    startAgain: () => plan(gather_ms),
  };
  setConnection(connection);
  keepStart(connection, plan);
  giveHints(connection);
  session.state.watch(() => {
    if (session.state.get().phase !== 'out') return;
    // At log-out nothing of the member stays in this browser.
    connection.kept.clear();
    connection.outbox.clear();
    clearStored(stored);
  });
  live.open();
  connection.outbox.begin(live, session);
  return connection;
}

const gather_ms = 30;
const retry_ms = 2_000;

/** Returns a function that reads the start again after a while; several wishes within it are one. */
function startReader(start: Value<Start>, read: () => Promise<Start>): (wait_ms: number) => void {
  let isPlanned = false;
  let isReading = false;
  let isDue = false;
  const plan = (wait_ms: number) => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => void again(), wait_ms);
  };
  const again = async () => {
    isPlanned = false;
    isDue = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isDue) {
        isDue = false;
        const next = await read();
        if (JSON.stringify(next.settings) !== JSON.stringify(start.get().settings)) applyPreferences(next.settings);
        if (JSON.stringify(next) !== JSON.stringify(start.get())) start.set(next);
      }
    } catch {
      // The web app is being replaced, or the server can't be reached: what is open goes on.
      plan(retry_ms);
    } finally {
      isReading = false;
    }
  };
  return plan;
}

/** Reads the start again when extensions, the member's role or its settings may have changed. */
function keepStart({ live, session, start }: Connection, plan: (wait_ms: number) => void): void {
  live.listen(({ type }) => type === 'extension.changed' && plan(gather_ms));
  // The first answer was asked for before the connection stood: what changed between them was told to nobody here.
  const stop = live.state.watch(() => {
    if (live.state.get().state !== 'live') return;
    stop();
    plan(gather_ms);
  });
  live.onAgain(() => plan(gather_ms));
  start.watch(() => live.readAgain.retryFailed());
  session.state.watch(() => session.state.get().phase === 'in' && plan(0));
}

/** Tells the transport and the session when a connection may have died or come back. */
function giveHints({ transport, session }: Connection): void {
  addEventListener('online', () => {
    transport.hint('online');
    session.wake();
  });
  addEventListener('offline', () => transport.hint('offline'));
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return;
    transport.hint('visible');
    session.wake();
  });
  addEventListener('pageshow', ({ persisted }) => persisted && transport.hint('visible'));
}
