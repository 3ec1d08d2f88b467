import assert from 'node:assert/strict';
import type { Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import { adminPassword } from '../../helpers/platform.js';
import { type Asker, Side, type Way } from '../side.js';
import { goodUse, table } from '../table.js';
import { difference, RowReader, type Rows } from './rows.js';
import { Subject } from './subject.js';
import { type Answer, exchange, type Message, render } from './wire.js';

/** Ids of what is ada's alone, by the names of inputs. */
export interface Owned {
  session_id: string;
  message_id: string;
  task_id: string;
  /** Her personal token, for operations on tokens: a number doesn't tell what it is the id of. */
  token: number;
}

/** Tokens that don't hold any more, or that may too little. */
export interface OddTokens {
  expired: string;
  deleted: string;
  logged_out: string;
  revoked: string;
  refresh: string;
  /** An administrator's, with the scope `read` alone. */
  admin_reader: string;
  /** A good ticket, and one that was used. */
  ticket: string;
  spent_ticket: string;
}

const half_day_ms = 12 * 3_600_000;

/** A platform with people in it, and for each of its operations a good request, which has not been sent. */
export class World {
  readonly side: Side;
  readonly url: string;
  readonly tokens: Readonly<OddTokens>;
  readonly owned: Readonly<Owned>;
  readonly subjects: readonly Subject[];
  readonly #rows: RowReader;

  private constructor(parts: { side: Side; tokens: OddTokens; owned: Owned; subjects: Subject[]; rows: RowReader }) {
    this.side = parts.side;
    this.url = parts.side.platform.url;
    this.tokens = parts.tokens;
    this.owned = parts.owned;
    this.subjects = parts.subjects;
    this.#rows = parts.rows;
  }

  static async start(t: Test, { database_url, way = 'http' }: { database_url?: string | undefined; way?: Way } = {}): Promise<World> {
    let shift_ms = 0;
    const settings = database_url === undefined ? {} : { database_url };
    const side = await Side.start(t, way, { settings, clock: { now: () => Date.now() + shift_ms } });
    const { url, data_dir } = side.platform;
    const rows = await RowReader.open(side.platform.database_url, data_dir);
    t.teardown(() => rows.close());
    shift_ms = -half_day_ms;
    const { access_token: expired } = await logIn(side, 'ada');
    shift_ms = 0;
    const tokens = { expired, ...(await oddTokens(side)), ...(await tickets(side)) };
    const world = new World({ side, tokens, owned: await answered(side), subjects: await subjects(side, new URL(url).host), rows });
    await world.quiet();
    return world;
  }

  send(message: Message): Promise<Answer> {
    return exchange(this.url, message);
  }

  /** But for those that tell that a call was refused: they are no effect of it. */
  async rows(): Promise<Rows> {
    const rows = new Map(await this.#rows.read());
    const keep = (table: string, isKept: (row: Record<string, unknown>) => boolean) =>
      rows.set(
        table,
        (rows.get(table) ?? []).filter((row) => isKept(JSON.parse(row))),
      );
    // SQLite counts there what it has numbered.
    keep('sqlite_sequence', ({ name }) => name !== 'kernel_audit');
    return keep('kernel_audit', ({ outcome }) => outcome === 'success');
  }

  /** Log lines about the platform's own faults. */
  faults(): unknown[] {
    return this.side.platform.lines.filter(({ level }) => level === 'error' || level === 'fatal' || Number(level) >= 50);
  }

  /** Content that no answer may show. */
  get secrets(): string[] {
    const { refresh, revoked, ticket, admin_reader } = this.tokens;
    return [adminPassword, refresh, revoked, ticket, admin_reader, ...this.side.tokens.values()];
  }

  /** Waits until no row has changed for longer than anything that was begun takes to go on. */
  async quiet(): Promise<void> {
    let last = await this.rows();
    const unchanged = async () => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await this.side.platform.kernel.settled();
      const now = await this.rows();
      const changes = difference(last, now);
      last = now;
      return changes;
    };
    await until(unchanged, (changes) => changes.length === 0, 60_000);
  }
}

interface Login {
  access_token: string;
  refresh_token: string;
}

function logIn(side: Side, username: string): Promise<Login> {
  return side.give<Login>('auth.login', { username, password: adminPassword }, 'nobody');
}

async function oddTokens(side: Side): Promise<Omit<OddTokens, 'expired' | 'ticket' | 'spent_ticket'>> {
  const gone = await side.give('members.create', { username: 'gone', password: adminPassword });
  const { access_token: deleted } = await logIn(side, 'gone');
  await side.give('members.delete', { id: gone.id });

  const logged_out = side.tokens.get('ada') as string;
  await side.give('auth.logout', {}, 'ada');
  await side.logIn('ada', 'ada');
  const { refresh_token: refresh } = await logIn(side, 'ada');

  const made = await side.give<{ id: number; token: string }>('tokens.create', { name: 'revoked' }, 'ada');
  await side.give('tokens.delete', { id: made.id }, 'ada');
  const { token: admin_reader } = await side.give<{ token: string }>('tokens.create', { name: 'reader', scopes: ['read'] });
  return { deleted, logged_out, refresh, revoked: made.token, admin_reader };
}

/** A ticket is spent by its first use, whatever comes of it. */
async function tickets(side: Side): Promise<Pick<OddTokens, 'ticket' | 'spent_ticket'>> {
  const give = async () => (await side.give<{ ticket: string }>('auth.ticket', {}, 'ada')).ticket;
  const spent_ticket = await give();
  const { url } = side.platform;
  const target = `/api/chat/stream?session_id=none&ticket=${spent_ticket}`;
  const { status, body } = await exchange(url, render({ method: 'GET', target, headers: { host: new URL(url).host } }));
  assert.equal(status, 400, body);
  return { ticket: await give(), spent_ticket };
}

/** A message of ada's whose reply has ended, and a token. */
async function answered(side: Side): Promise<Owned> {
  const owned = await side.give<Omit<Owned, 'token'>>('chat.send', { content: '/help' }, 'ada');
  const task = () => side.give<{ status: string }>('tasks.get', { task_id: owned.task_id }, 'ada');
  await until(task, ({ status }) => status === 'completed');
  const { id: token } = await side.give('tokens.create', { name: 'own' }, 'ada');
  return { ...owned, token };
}

/** Every operation that is loaded, with the first input of its row in the table. */
async function subjects(side: Side, host: string): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const [id, operation] of Object.entries(side.operations)) {
    const uses = table[id];
    assert(uses, `The table has no use of '${id}', from which a bad one could be made`);
    const row = goodUse(uses);
    const input = typeof row.input === 'function' ? await row.input(side) : row.input;
    const asker: Asker = operation.who === 'public' ? 'nobody' : (row.asker ?? (operation.who === 'admin' ? 'admin' : 'ada'));
    found.push(new Subject({ id, operation, input: { ...input }, asker, token: side.tokens.get(asker), host }));
  }
  return found;
}
