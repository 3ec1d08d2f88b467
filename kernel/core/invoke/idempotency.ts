import { createHmac } from 'node:crypto';
import type { Outcome } from '../../contract/extension.js';
import { fail, isFailure } from '../../contract/failure.js';
import type { Data } from '../ports.js';
import { IdempotencyKeys, type KeyClaim, type KeyRow } from './idempotency-sql.js';

/** Lifetime of a key. */
const lifetime_ms = 24 * 3600 * 1000;
/** Time after the operation's time-out at which a missing answer counts as lost with its process. */
const lost_ms = 10 * 60 * 1000;
/** Upper limit of the considered time-out, so that a killed process doesn't block a key for a day. */
const max_ms = 2 * 3600 * 1000;

export interface Keyed {
  member_id: number;
  key: string;
  operation: string;
  input: object;
  /** Time limit of the operation. */
  timeout_ms: number;
  /** Whether the effect is in the database, so that key and effect share a transaction. */
  transactional: boolean;
}

/** A request that claims its key. */
type Claim = Keyed & KeyClaim;

export interface IdempotencyOptions {
  data: Data;
  clock: { now(): number };
  /** Id of this process. */
  instance: string;
  /** Key of the input hashes. Inputs may contain passwords, and a plain hash could be brute-forced from the database. */
  hash_key: Buffer;
}

/** Gives a request sent twice with the same key one effect and both callers the first answer. */
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
      const claim = this.#claimOf(keyed);
      const earlier = await this.#begin(claim);
      if (earlier) return earlier;
      const outcome = await effect();
      await this.#finish(claim, outcome);
      return outcome;
    };
    if (keyed.transactional) return db.transaction(whole);

    const claim = this.#claimOf(keyed);
    const earlier = await db.transaction(() => this.#begin(claim));
    if (earlier) return earlier;
    const outcome = await this.#releasingOnFailure(claim, effect);
    // If this fails the key stays claimed: the effect has happened, and a retry would repeat it.
    await this.#finish(claim, outcome);
    return outcome;
  }

  /** Returns the outcome of a finished request with the same key; undefined if there is none. */
  async earlier(keyed: Keyed): Promise<Outcome | undefined> {
    const row = await this.#keys.find(keyed);
    return row && this.#isValid(row, keyed) && row.state !== 'running' ? replay(row, this.#request(keyed)) : undefined;
  }

  /** Deletes expired keys; returns how many. */
  sweep(): Promise<number> {
    return this.#keys.sweep(new Date(this.#clock.now() - lifetime_ms).toISOString());
  }

  #claimOf(keyed: Keyed): Claim {
    return { ...keyed, owner: this.#instance, created_at: new Date(this.#clock.now()).toISOString() };
  }

  /** Runs the effect and releases the key if it fails. */
  async #releasingOnFailure(claim: Claim, effect: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await effect();
    } catch (fault) {
      // A timed-out call may still take effect, so its key stays claimed until it counts as lost.
      if (!(isFailure(fault) && fault.code === 'operation_timeout')) await this.#keys.forget(claim);
      throw fault;
    }
  }

  /** Claims the key; returns the outcome of an earlier request with the same key, if there is one. */
  async #begin(claim: Claim): Promise<Outcome | undefined> {
    if (await this.#keys.claim({ ...claim, body_hash: this.#hash(claim.input) })) return undefined;
    const row = await this.#keys.find(claim);
    if (row && this.#isValid(row, claim)) return replay(row, this.#request(claim));
    if (row) await this.#keys.forget({ ...claim, owner: row.owner, created_at: row.created_at });
    return this.#begin(claim);
  }

  /** Returns whether a key is neither expired nor lost with its process. Only the same operation can tell the latter, by its time-out. */
  #isValid({ operation, created_at, state }: KeyRow, asked: Keyed): boolean {
    const age_ms = this.#clock.now() - Date.parse(created_at);
    const isLost = state === 'running' && operation === asked.operation && age_ms > Math.min(asked.timeout_ms, max_ms) + lost_ms;
    return age_ms <= lifetime_ms && !isLost;
  }

  #request({ operation, input }: Keyed): Pick<KeyRow, 'operation' | 'body_hash'> {
    return { operation, body_hash: this.#hash(input) };
  }

  #hash(input: object): string {
    return createHmac('sha256', this.#hashKey)
      .update(JSON.stringify(withSortedKeys(input)))
      .digest('hex');
  }

  async #finish(claim: Claim, { status, body }: Outcome): Promise<void> {
    await this.#keys.finish(claim, { status, answer: body === undefined ? '' : JSON.stringify(body) });
  }
}

function replay(row: KeyRow, request: Pick<KeyRow, 'operation' | 'body_hash'>): Outcome {
  if (row.operation !== request.operation || row.body_hash !== request.body_hash) {
    throw fail('idempotency_key_reused', 'This Idempotency-Key was used for another request; use a new one');
  }
  if (row.state === 'running') {
    throw fail('idempotency_in_progress', 'The first request with this Idempotency-Key is still running', { retry_after: 1 });
  }
  return { status: row.status, body: row.answer === '' ? undefined : (JSON.parse(row.answer) as unknown) };
}

/** Returns the value with withSortedKeys keys, because the key order of a body doesn't matter. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, withSortedKeys(item)]));
}
