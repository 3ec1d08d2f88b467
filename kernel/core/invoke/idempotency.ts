import { createHmac } from 'node:crypto';
import type { Outcome } from '../../contract/extension.js';
import { fail, isFailure } from '../../contract/failure.js';
import { deleteAll } from '../events/portions.js';
import type { Data } from '../ports.js';

/** How long a key is remembered. */
const lifetime_ms = 24 * 3600 * 1000;
/** Rows removed at a time, so that other writers get their turn in between. */
const portion = 1_000;
/** So long after the operation's time-out an answer that never came is taken as lost with its process. */
const lost_ms = 10 * 60 * 1000;
/** Of a longer time-out so much counts: who waits for a process that was killed is not to wait for a day. */
const max_ms = 2 * 3600 * 1000;

export interface Keyed {
  member_id: number;
  key: string;
  operation: string;
  input: object;
  /** How long the operation may take. */
  timeout_ms: number;
  /** Whether the effect is in the database, so that key and effect share one transaction. */
  transactional: boolean;
}

interface Row {
  operation: string;
  body_hash: string;
  state: string;
  status: number;
  answer: string;
  owner: string;
  created_at: string;
}

/** By who has taken it and when, one use of a key is told from the next, which begins where the first counts as lost. */
type Taken = Keyed & Pick<Row, 'owner' | 'created_at'>;

export interface IdempotencyOptions {
  data: Data;
  clock: { now(): number };
  /** Names this process. */
  instance: string;
  /** Inputs may hold passwords: a plain hash of one could be guessed at by whoever reads the database. */
  hash_key: Buffer;
}

/** Sees to it that a request sent twice with one key has its effect once, and both get the first answer. */
export class Idempotency {
  readonly #data: Data;
  readonly #clock: { now(): number };
  readonly #instance: string;
  readonly #hashKey: Buffer;

  constructor({ data, clock, instance, hash_key }: IdempotencyOptions) {
    this.#data = data;
    this.#clock = clock;
    this.#instance = instance;
    this.#hashKey = hash_key;
  }

  async run(keyed: Keyed, effect: () => Promise<Outcome>): Promise<Outcome> {
    const db = this.#data.facade('kernel');
    const whole = async () => {
      const taken = this.#taken(keyed);
      const earlier = await this.#begin(taken);
      if (earlier) return earlier;
      const outcome = await effect();
      await this.#finish(taken, outcome);
      return outcome;
    };
    if (keyed.transactional) return db.transaction(whole);

    const taken = this.#taken(keyed);
    const earlier = await db.transaction(() => this.#begin(taken));
    if (earlier) return earlier;
    const outcome = await this.#forgetting(taken, effect);
    // Where this fails the key stays taken: the effect is there, and another try would have it again.
    await this.#finish(taken, outcome);
    return outcome;
  }

  /** The outcome of a request with the same key that has ended, where there is one. */
  async earlier(keyed: Keyed): Promise<Outcome | undefined> {
    const row = await this.#row(keyed);
    return row && this.#counts(row, keyed) && row.state !== 'running' ? replay(row, this.#request(keyed)) : undefined;
  }

  /** Removes the keys that are too old to be asked for; gives how many. */
  async sweep(): Promise<number> {
    const oldest = new Date(this.#clock.now() - lifetime_ms).toISOString();
    const sql =
      'DELETE FROM kernel_idempotency WHERE (member_id, key) IN ' +
      `(SELECT member_id, key FROM kernel_idempotency WHERE created_at < $1 LIMIT ${portion})`;
    return deleteAll(this.#data.facade('kernel'), { sql, values: [oldest], portion });
  }

  #taken(keyed: Keyed): Taken {
    return { ...keyed, owner: this.#instance, created_at: new Date(this.#clock.now()).toISOString() };
  }

  /** An effect that fails gives its key back. */
  async #forgetting(taken: Taken, effect: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await effect();
    } catch (fault) {
      // What was given up may still have its effect: its key stays taken until it counts as lost.
      if (!(isFailure(fault) && fault.code === 'operation_timeout')) await this.#forget(taken);
      throw fault;
    }
  }

  /** Writes the key's row; gives the outcome of an earlier request with the same key where there is one. */
  async #begin(taken: Taken): Promise<Outcome | undefined> {
    const db = this.#data.facade('kernel');
    const { member_id, key, operation, owner, created_at } = taken;
    const written = await db.run(
      'INSERT INTO kernel_idempotency (member_id, key, operation, body_hash, state, status, answer, owner, created_at) ' +
        "VALUES ($1, $2, $3, $4, 'running', 0, '', $5, $6) ON CONFLICT (member_id, key) DO NOTHING",
      [member_id, key, operation, this.#hash(taken.input), owner, created_at],
    );
    if (written > 0) return undefined;
    const row = await this.#row(taken);
    if (row && this.#counts(row, taken)) return replay(row, this.#request(taken));
    if (row) await this.#forget({ ...taken, owner: row.owner, created_at: row.created_at });
    return this.#begin(taken);
  }

  async #row({ member_id, key }: Keyed): Promise<Row | undefined> {
    const sql =
      'SELECT operation, body_hash, state, status, answer, owner, created_at FROM kernel_idempotency WHERE member_id = $1 AND key = $2';
    const [row] = await this.#data.facade('kernel').rows<Row>(sql, [member_id, key]);
    return row;
  }

  /** Whether a key is neither forgotten by now nor lost with the process that had it, which only the same operation can tell. */
  #counts({ operation, created_at, state }: Row, asked: Keyed): boolean {
    const age_ms = this.#clock.now() - Date.parse(created_at);
    const isLost = state === 'running' && operation === asked.operation && age_ms > Math.min(asked.timeout_ms, max_ms) + lost_ms;
    return age_ms <= lifetime_ms && !isLost;
  }

  #request({ operation, input }: Keyed): Pick<Row, 'operation' | 'body_hash'> {
    return { operation, body_hash: this.#hash(input) };
  }

  #hash(input: object): string {
    return createHmac('sha256', this.#hashKey)
      .update(JSON.stringify(sorted(input)))
      .digest('hex');
  }

  async #finish({ member_id, key, owner, created_at }: Taken, { status, body }: Outcome): Promise<void> {
    const sql =
      "UPDATE kernel_idempotency SET state = 'done', status = $5, answer = $6 " +
      'WHERE member_id = $1 AND key = $2 AND owner = $3 AND created_at = $4';
    const answer = body === undefined ? '' : JSON.stringify(body);
    await this.#data.facade('kernel').run(sql, [member_id, key, owner, created_at, status, answer]);
  }

  async #forget({ member_id, key, owner, created_at }: Taken): Promise<void> {
    const sql = 'DELETE FROM kernel_idempotency WHERE member_id = $1 AND key = $2 AND owner = $3 AND created_at = $4';
    await this.#data.facade('kernel').run(sql, [member_id, key, owner, created_at]);
  }
}

function replay(row: Row, request: Pick<Row, 'operation' | 'body_hash'>): Outcome {
  if (row.operation !== request.operation || row.body_hash !== request.body_hash) {
    throw fail('idempotency_key_reused', 'This Idempotency-Key was used for another request; take a new one');
  }
  if (row.state === 'running') {
    throw fail('idempotency_in_progress', 'The first request with this Idempotency-Key is still running', { retry_after: 1 });
  }
  return { status: row.status, body: row.answer === '' ? undefined : (JSON.parse(row.answer) as unknown) };
}

/** The same value with its keys in order, so that the order of a body's keys doesn't matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
