import { type Caller, type Database, databaseNow, type SqlValue } from '../../../kernel/contract/index.js';
import type { Approval, ApprovalStatus } from '../contract.js';

interface Row extends Omit<Approval, 'input'> {
  input: string;
}

/** Who asks, and who may decide. */
export interface Asking {
  /** The instance that waits. */
  owner: string;
  deciders: readonly number[];
  /** Those of the run. */
  scopes: Caller['scopes'];
}

/** How an approval stops being open. */
export interface Settlement {
  status: Exclude<ApprovalStatus, 'pending'>;
  reason: string;
  decided_by: number | null;
  decided_by_name: string | null;
  now: string;
}

/** One that is open no longer than until somebody looks. */
export interface Over {
  id: string;
  /** Its time is up; otherwise nobody waits for it. */
  isExpired: boolean;
}

export interface ApprovalQuery {
  status?: ApprovalStatus | undefined;
  limit: number;
  offset: number;
}

/** How long an approval is held open without a sign of the run that waits for it. */
const lease_ms = 15_000;
/** So many are ended by one statement. */
const most_at_once = 500;
const columns = `a.id, a.session_id, a.task_id, a.message_id, a.tool_call_id, a.member_id, a.requested_by, a.name, a.input, a.effect, a.status,
  a.reason, a.decided_by, a.decided_by_name, a.created_at, a.expires_at, a.decided_at`;
const returning = `RETURNING ${columns.replaceAll('a.', '')}`;
const nobody = 'decided_by = NULL, decided_by_name = NULL, decided_at = $1';

/** Tables `agents_approvals` and `agents_approval_deciders`. Leases are in the database's own time. */
export class ApprovalStore {
  readonly #db: Database;
  readonly #now: string;

  constructor(db: Database) {
    this.#db = db;
    this.#now = databaseNow(db);
  }

  async insert(approval: Approval, { owner, deciders, scopes }: Asking): Promise<void> {
    const { id, session_id, task_id, message_id, tool_call_id, member_id, requested_by, name, input, effect, created_at, expires_at } =
      approval;
    await this.#db.run(
      `INSERT INTO agents_approvals (id, session_id, task_id, message_id, tool_call_id, member_id, requested_by, name, input, effect, status,
         reason, owner, lease_until, created_at, expires_at, scopes)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', '', $11, ${this.#now} + ${lease_ms}, $12, $13, $14)`,
      [
        id,
        session_id,
        task_id,
        message_id,
        tool_call_id,
        member_id,
        requested_by,
        name,
        JSON.stringify(input),
        effect,
        owner,
        created_at,
        expires_at,
        JSON.stringify(scopes),
      ],
    );
    for (const decider of deciders) {
      await this.#db.run('INSERT INTO agents_approval_deciders (member_id, approval_id, created_at) VALUES ($1, $2, $3)', [
        decider,
        id,
        created_at,
      ]);
    }
  }

  /** One that the member may decide. */
  async find(id: string, member_id: number): Promise<Approval | undefined> {
    const [row] = await this.#db.rows<Row>(
      `SELECT ${columns} FROM agents_approval_deciders d JOIN agents_approvals a ON a.id = d.approval_id WHERE a.id = $1 AND d.member_id = $2`,
      [id, member_id],
    );
    return row && toApproval(row);
  }

  /** Those of the run that asks; all where there is no such approval. */
  async scopesOf(id: string): Promise<Caller['scopes']> {
    const [row] = await this.#db.rows<{ scopes: string }>('SELECT scopes FROM agents_approvals WHERE id = $1', [id]);
    return row ? (JSON.parse(row.scopes) as Caller['scopes']) : 'all';
  }

  async get(id: string): Promise<Approval | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM agents_approvals a WHERE a.id = $1`, [id]);
    return row && toApproval(row);
  }

  /** Those that the member may decide, the latest first. */
  async list(member_id: number, { status, limit, offset }: ApprovalQuery): Promise<Approval[]> {
    const values: SqlValue[] = [member_id, limit, offset];
    if (status) values.push(status);
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM agents_approval_deciders d JOIN agents_approvals a ON a.id = d.approval_id
       WHERE d.member_id = $1 ${status ? 'AND a.status = $4' : ''} ORDER BY d.created_at DESC, d.approval_id DESC LIMIT $2 OFFSET $3`,
      values,
    );
    return rows.map(toApproval);
  }

  /** Ends an open one, before its time is up; undefined where it was not open any more. */
  async settle(id: string, { status, reason, decided_by, decided_by_name, now }: Settlement): Promise<Approval | undefined> {
    const [row] = await this.#db.rows<Row>(
      `UPDATE agents_approvals SET status = $1, reason = $2, decided_by = $3, decided_by_name = $4, decided_at = $5
       WHERE id = $6 AND status = 'pending' AND expires_at > $5 ${returning}`,
      [status, reason, decided_by, decided_by_name, now, id],
    );
    return row && toApproval(row);
  }

  /** Holds those that a run waits for; gives those that are still open. */
  async hold(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#db.rows<{ id: string }>(
      `UPDATE agents_approvals SET lease_until = ${this.#now} + ${lease_ms} WHERE status = 'pending' AND id IN (${places(ids)}) RETURNING id`,
      ids,
    );
    return rows.map(({ id }) => id);
  }

  /** At most 500 open ones whose time is up, or for which nobody waits. `alone`: only this owner can wait. */
  async over(now: string, alone: string | undefined): Promise<Over[]> {
    const rows = await this.#db.rows<{ id: string; expires_at: string }>(
      `SELECT id, expires_at FROM agents_approvals WHERE ${this.#over(alone)} LIMIT ${most_at_once}`,
      given(now, alone),
    );
    return rows.map(({ id, expires_at }) => ({ id, isExpired: expires_at <= now }));
  }

  /** Ends those of them that are still over, and gives these. */
  async settleOver(ids: readonly string[], now: string, alone: string | undefined): Promise<Approval[]> {
    const values = given(now, alone);
    const among = ids.map((id) => `$${values.push(id)}`).join();
    const rows = await this.#db.rows<Row>(
      `UPDATE agents_approvals SET status = CASE WHEN expires_at <= $1 THEN 'expired' ELSE 'cancelled' END, ${nobody}
       WHERE ${this.#over(alone)} AND id IN (${among}) ${returning}`,
      values,
    );
    return rows.map(toApproval);
  }

  /** Gives how many approvals it removed. */
  deleteBefore(time: string): Promise<number> {
    return this.#delete(`created_at < $1 AND status <> 'pending'`, [time]);
  }

  async deleteOfSessions(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#delete(`session_id IN (${places(ids)})`, ids);
  }

  async deleteOfMember(id: number): Promise<void> {
    await this.#delete('requested_by = $1 OR member_id = $1', [id]);
    await this.#db.run('DELETE FROM agents_approval_deciders WHERE member_id = $1', [id]);
    await this.#db.run('UPDATE agents_approvals SET decided_by = NULL WHERE decided_by = $1', [id]);
  }

  async #delete(where: string, values: readonly SqlValue[]): Promise<number> {
    await this.#db.run(
      `DELETE FROM agents_approval_deciders WHERE approval_id IN (SELECT id FROM agents_approvals WHERE ${where})`,
      values,
    );
    return this.#db.run(`DELETE FROM agents_approvals WHERE ${where}`, values);
  }

  #over(alone: string | undefined): string {
    const dead = alone === undefined ? `lease_until < ${this.#now}` : 'owner <> $2';
    return `status = 'pending' AND (expires_at <= $1 OR ${dead})`;
  }
}

const given = (now: string, alone: string | undefined): SqlValue[] => (alone === undefined ? [now] : [now, alone]);

function toApproval(row: Row): Approval {
  return { ...row, input: JSON.parse(row.input) as unknown };
}

function places(values: readonly unknown[]): string {
  return values.map((_, at) => `$${at + 1}`).join(', ');
}
