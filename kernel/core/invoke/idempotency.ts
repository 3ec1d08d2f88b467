import { createHmac } from 'node:crypto';
import type { Outcome } from '../../contract/extension.js';
import { fail, isFailure } from '../../contract/failure.js';
import type { Data } from '../ports.js';
import { IdempotencyKeys, type KeyRow, type Use } from './idempotency-sql.js';

/** How long a key is remembered. */
const lifetime_ms = 24 * 3600 * 1000;
/** So long after the operation's time-out an answer that never came is taken as lost with its process. */
const lost_ms = 10 * 60 * 1000;
/** Caps the time-out that counts, so that nobody waits a day for a killed process. */
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

/** A use of a key that begins. */
type Taken = Keyed & Use;

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
  readonly #keys: IdempotencyKeys;
  readonly #clock: { now(): number };
  readonly #instance: string;
  readonly #hashKey: Buffer;

  constructor({ data, clock, instance, hash_key }: IdempotencyOptions) {
    this.#data = data;
    this.#keys = new IdempotencyKeys(data);
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
    const row = await this.#keys.find(keyed);
    return row && this.#counts(row, keyed) && row.state !== 'running' ? replay(row, this.#request(keyed)) : undefined;
  }

  /** Removes the keys that are too old to be asked for; gives how many. */
  sweep(): Promise<number> {
    return this.#keys.sweep(new Date(this.#clock.now() - lifetime_ms).toISOString());
  }

  #taken(keyed: Keyed): Taken {
    return { ...keyed, owner: this.#instance, created_at: new Date(this.#clock.now()).toISOString() };
  }

  /** An effect that fails gives its key back. */
  async #forgetting(taken: Taken, effect: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await effect();
    } catch (fault) {
      // An abandoned call may still take effect, so its key stays taken until it counts as lost.
      if (!(isFailure(fault) && fault.code === 'operation_timeout')) await this.#keys.forget(taken);
      throw fault;
    }
  }

  /** Writes the key's row; gives the outcome of an earlier request with the same key where there is one. */
  async #begin(taken: Taken): Promise<Outcome | undefined> {
    if (await this.#keys.claim({ ...taken, body_hash: this.#hash(taken.input) })) return undefined;
    const row = await this.#keys.find(taken);
    if (row && this.#counts(row, taken)) return replay(row, this.#request(taken));
    if (row) await this.#keys.forget({ ...taken, owner: row.owner, created_at: row.created_at });
    return this.#begin(taken);
  }

  /** Whether a key is neither forgotten by now nor lost with the process that had it, which only the same operation can tell. */
  #counts({ operation, created_at, state }: KeyRow, asked: Keyed): boolean {
    const age_ms = this.#clock.now() - Date.parse(created_at);
    const isLost = state === 'running' && operation === asked.operation && age_ms > Math.min(asked.timeout_ms, max_ms) + lost_ms;
    return age_ms <= lifetime_ms && !isLost;
  }

  #request({ operation, input }: Keyed): Pick<KeyRow, 'operation' | 'body_hash'> {
    return { operation, body_hash: this.#hash(input) };
  }

  #hash(input: object): string {
    return createHmac('sha256', this.#hashKey)
      .update(JSON.stringify(sorted(input)))
      .digest('hex');
  }

  async #finish(taken: Taken, { status, body }: Outcome): Promise<void> {
    await this.#keys.finish(taken, { status, answer: body === undefined ? '' : JSON.stringify(body) });
  }
}

function replay(row: KeyRow, request: Pick<KeyRow, 'operation' | 'body_hash'>): Outcome {
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
