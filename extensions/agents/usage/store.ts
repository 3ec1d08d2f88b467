import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { ReplyUsage, Used } from '../contract.js';
import { keyOf, type Sum, summed } from './sums.js';

/** What one question to a model took. */
export interface Taken {
  member_id: number;
  message_id: string;
  model: string;
  day: string;
  at: string;
  input_tokens: number;
  output_tokens: number;
  estimated: boolean;
}

export interface DayRow extends Used {
  day: string;
  model: string;
}

/** PostgreSQL gives large integers as text. */
type Raw<Row> = { [Key in keyof Row]: Row[Key] | string };

/** Tables `agents_usage`, `agents_days` and `agents_alerts`. */
export class UsageStore {
  readonly #db: Database;
  readonly #spent;

  constructor(db: Database) {
    this.#db = db;
    this.#spent = db.prepare<{ tokens: number | string }>(`${spent} AND member_id = $2`);
  }

  /** Adds to what replies and their days have taken; gives of each member its limit of a day, 0 where it has none. */
  async add(taken: readonly Taken[]): Promise<ReadonlyMap<number, number>> {
    const fresh = await this.#addReplies(summed(taken, reply));
    const days = summed(taken, day).map((sum) => ({ ...sum, replies: fresh.get(keyOf(sum, day)) ?? 0 }));
    const values: SqlValue[] = [];
    const rows = days.map(({ member_id, day: date, model, input_tokens, output_tokens, calls, replies }) =>
      tuple(values, [member_id, date, model, input_tokens, output_tokens, calls, replies]),
    );
    const added = await this.#db.rows<{ member_id: number; tokens_per_day: number | null }>(addDays(rows), values);
    return new Map(added.map(({ member_id, tokens_per_day }) => [member_id, tokens_per_day ?? 0]));
  }

  /** Gives how many of each day are new. */
  async #addReplies(sums: readonly Sum[]): Promise<ReadonlyMap<string, number>> {
    const values: SqlValue[] = [];
    const rows = sums.map(({ message_id, model, day: date, member_id, at, input_tokens, output_tokens, calls, estimated }) =>
      tuple(values, [message_id, model, date, member_id, at, input_tokens, output_tokens, calls, estimated]),
    );
    const added = await this.#db.rows<Pick<Sum, 'message_id' | 'model' | 'day' | 'calls'>>(addReplies(rows), values);
    const calls = new Map(added.map((row) => [keyOf(row, reply), Number(row.calls)]));
    const fresh = new Map<string, number>();
    for (const sum of sums) {
      const key = keyOf(sum, day);
      if (calls.get(keyOf(sum, reply)) === sum.calls) fresh.set(key, (fresh.get(key) ?? 0) + 1);
    }
    return fresh;
  }

  /** Tokens of a day. */
  async spent(member_id: number, day: string): Promise<number> {
    const [row] = this.#db.inTransaction
      ? await this.#db.rows<{ tokens: number | string }>(`${spent} AND member_id = $2`, [day, member_id])
      : await this.#spent.all(day, member_id);
    return Number(row?.tokens ?? 0);
  }

  /** Tokens of a day, by member. */
  async allSpent(day: string): Promise<ReadonlyMap<number, number>> {
    const sql = 'SELECT member_id, SUM(input_tokens + output_tokens) AS tokens FROM agents_days WHERE day = $1 GROUP BY member_id';
    const rows = await this.#db.rows<{ member_id: number; tokens: number | string }>(sql, [day]);
    return new Map(rows.map(({ member_id, tokens }) => [member_id, Number(tokens)]));
  }

  async days(member_id: number, { from, to }: { from: string; to: string }): Promise<DayRow[]> {
    const sql = `SELECT day, model, input_tokens, output_tokens, calls, replies FROM agents_days
      WHERE member_id = $1 AND day >= $2 AND day <= $3 ORDER BY day, model`;
    const rows = await this.#db.rows<Raw<DayRow>>(sql, [member_id, from, to]);
    return rows.map((row) => ({ day: String(row.day), model: String(row.model), ...numbers(row), replies: Number(row.replies) }));
  }

  /** The latest first. */
  async replies(member_id: number, { before, limit }: { before: string; limit: number }): Promise<ReplyUsage[]> {
    const sql = `SELECT message_id, model, at, input_tokens, output_tokens, calls, estimated FROM agents_usage
      WHERE member_id = $1 AND at < $2 ORDER BY at DESC, message_id DESC, model LIMIT ${limit}`;
    const rows = await this.#db.rows<Raw<ReplyUsage>>(sql, [member_id, before]);
    return rows.map((row) => {
      const { message_id, model, at, estimated } = row;
      return { message_id: String(message_id), model: String(model), at: String(at), ...numbers(row), estimated: Boolean(estimated) };
    });
  }

  /** Marks that a part of a day's tokens is spent; false where it was marked before. */
  async mark(member_id: number, day: string, percent: number): Promise<boolean> {
    const sql = 'INSERT INTO agents_alerts (member_id, day, percent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    return (await this.#db.run(sql, [member_id, day, percent])) === 1;
  }

  async unmark(member_id: number, day: string, percent: number): Promise<void> {
    await this.#db.run('DELETE FROM agents_alerts WHERE member_id = $1 AND day = $2 AND percent = $3', [member_id, day, percent]);
  }

  /** Removes what a member has taken. */
  async forget(member_id: number): Promise<void> {
    for (const table of tables) await this.#db.run(`DELETE FROM ${table} WHERE member_id = $1`, [member_id]);
  }

  /** Removes replies' usage before one day, and sums before another. Gives how many rows. */
  async sweep({ replies, days }: { replies: string; days: string }): Promise<number> {
    // In portions, so that other writers get their turn in between.
    const old = 'SELECT message_id FROM agents_usage WHERE day < $1 LIMIT 500';
    let removed = 0;
    for (let rows = 500; rows >= 500; removed += rows) {
      rows = await this.#db.run(`DELETE FROM agents_usage WHERE day < $1 AND message_id IN (${old})`, [replies]);
    }
    for (const table of ['agents_days', 'agents_alerts']) removed += await this.#db.run(`DELETE FROM ${table} WHERE day < $1`, [days]);
    return removed;
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }
}

const tables = ['agents_usage', 'agents_days', 'agents_alerts'];

const spent = 'SELECT SUM(input_tokens + output_tokens) AS tokens FROM agents_days WHERE day = $1';

/** What makes a row of `agents_usage`, and one of `agents_days`. */
const reply = ['message_id', 'model', 'day'] as const;
const day = ['member_id', 'model', 'day'] as const;

const addReplies = (rows: readonly string[]) => `INSERT INTO agents_usage
    (message_id, model, day, member_id, at, input_tokens, output_tokens, calls, estimated) VALUES ${rows.join()}
  ON CONFLICT (message_id, model, day) DO UPDATE SET
    at = excluded.at,
    input_tokens = agents_usage.input_tokens + excluded.input_tokens,
    output_tokens = agents_usage.output_tokens + excluded.output_tokens,
    calls = agents_usage.calls + excluded.calls,
    estimated = agents_usage.estimated OR excluded.estimated
  RETURNING message_id, model, day, calls`;

const addDays = (rows: readonly string[]) => `INSERT INTO agents_days
    (member_id, day, model, input_tokens, output_tokens, calls, replies) VALUES ${rows.join()}
  ON CONFLICT (member_id, day, model) DO UPDATE SET
    input_tokens = agents_days.input_tokens + excluded.input_tokens,
    output_tokens = agents_days.output_tokens + excluded.output_tokens,
    calls = agents_days.calls + excluded.calls,
    replies = agents_days.replies + excluded.replies
  RETURNING member_id, (SELECT s.tokens_per_day FROM agents_settings s WHERE s.member_id = agents_days.member_id) AS tokens_per_day`;

/** A row of values, added to those of the statement: `($4, $5, $6)`. */
function tuple(values: SqlValue[], row: readonly SqlValue[]): string {
  return `(${row.map((value) => `$${values.push(value)}`).join()})`;
}

function numbers({ input_tokens, output_tokens, calls }: Raw<Omit<Used, 'replies'>>): Omit<Used, 'replies'> {
  return { input_tokens: Number(input_tokens), output_tokens: Number(output_tokens), calls: Number(calls) };
}
