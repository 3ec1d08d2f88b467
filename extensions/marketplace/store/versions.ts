import type { BundleSignature, CheckedBundle, Database, SqlValue } from '../../../kernel/contract/index.js';
import type { Publisher, VersionName, VersionStatus } from '../contract.js';
import { listed } from './listed.js';
import {
  columns,
  type Row,
  type StoredVersion,
  signatureOf,
  toVersion,
  toWhole,
  type WholeRow,
  type WholeVersion,
  wholeColumns,
} from './version-row.js';

export interface NewVersion {
  bundle: CheckedBundle;
  /** Of the ZIP. */
  bytes: number;
  status: 'under_review' | 'approved';
  signature: BundleSignature | null;
  publisher: Publisher | null;
  source: string | null;
  now: string;
}

/** What a reviewer decides. */
export interface Verdict {
  from: VersionStatus;
  to: Exclude<VersionStatus, 'under_review'>;
  reason: string | null;
  reviewer: Publisher;
  now: string;
}

/** Table `marketplace_versions`. */
export class VersionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Gives its number. */
  async insert({ bundle, bytes, status, signature, publisher, source, now }: NewVersion): Promise<number> {
    const { manifest, readme, files, unpacked_bytes, content_hash } = bundle;
    const { contributes: _contributes, config: _config, ...about } = manifest;
    const { id, version, name, description, author, category = '', tags = [] } = manifest;
    const values: Record<string, SqlValue> = {
      id,
      version,
      status,
      newest: 0,
      category,
      search: [id, name, description, author, ...tags].join('\n').toLowerCase(),
      tags: tags.length === 0 ? '' : `,${tags.join(',').toLowerCase()},`,
      about: JSON.stringify(about),
      manifest: JSON.stringify(manifest),
      // PostgreSQL takes no NUL.
      readme: readme.replaceAll('\0', '\u{FFFD}'),
      files: JSON.stringify(files),
      unpacked_bytes,
      bytes,
      content_hash,
      public_key: signature?.public_key ?? null,
      signature: signature?.signature ?? null,
      publisher_id: publisher?.member_id ?? null,
      publisher_name: publisher?.username ?? null,
      source,
      created_at: now,
      reviewed_at: status === 'approved' ? now : null,
    };
    const names = Object.keys(values);
    const [row] = await this.#db.rows<{ number: number }>(
      `INSERT INTO marketplace_versions (${names.join()}) VALUES (${names.map((_name, index) => `$${index + 1}`).join()}) RETURNING number`,
      Object.values(values),
    );
    return (row as { number: number }).number;
  }

  async delete(number: number): Promise<void> {
    await this.#db.run('DELETE FROM marketplace_versions WHERE number = $1', [number]);
  }

  async find({ id, version }: VersionName): Promise<StoredVersion | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_versions v WHERE v.id = $1 AND v.version = $2`, [
      id,
      version,
    ]);
    return row && toVersion(row);
  }

  async whole({ id, version }: VersionName): Promise<WholeVersion | undefined> {
    const sql = `SELECT ${wholeColumns} FROM marketplace_versions v WHERE v.id = $1 AND v.version = $2`;
    const [row] = await this.#db.rows<WholeRow>(sql, [id, version]);
    return row && toWhole(row);
  }

  /** The newest approved one. */
  async newest(id: string): Promise<StoredVersion | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_versions v WHERE v.id = $1 AND v.newest = 1`, [id]);
    return row && toVersion(row);
  }

  /** The newest approved version of each of these ids that has one. */
  async newestOf(ids: readonly string[]): Promise<Map<string, string>> {
    const sql = `SELECT id, version FROM marketplace_versions WHERE newest = 1 AND id IN (SELECT value FROM ${listed(this.#db)})`;
    const rows = await this.#db.rows<{ id: string; version: string }>(sql, [JSON.stringify(ids)]);
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  /** What is known of bundles, by their hashes. */
  async states(hashes: readonly string[]): Promise<KnownBundle[]> {
    const rows = await this.#db.rows<KnownRow>(
      `SELECT id, status, content_hash, source, public_key, signature FROM marketplace_versions
       WHERE content_hash IN (SELECT value FROM ${listed(this.#db)})`,
      [JSON.stringify(hashes)],
    );
    return rows.map(({ public_key, signature, ...row }) => ({ ...row, signature: signatureOf(public_key, signature) }));
  }

  async approved(id: string): Promise<ApprovedVersion[]> {
    const rows = await this.#db.rows<ApprovedRow>(
      `SELECT number, version, content_hash, public_key, signature, created_at, reviewed_at FROM marketplace_versions
       WHERE id = $1 AND status = 'approved'`,
      [id],
    );
    return rows.map(({ public_key, signature, ...row }) => ({ ...row, signature: signatureOf(public_key, signature) }));
  }

  async isEmpty(id: string): Promise<boolean> {
    return (await this.#db.rows('SELECT 1 AS used FROM marketplace_versions WHERE id = $1 LIMIT 1', [id])).length === 0;
  }

  /** Whether an id has a version that was not rejected. */
  async isUsed(id: string): Promise<boolean> {
    const sql = `SELECT 1 AS used FROM marketplace_versions WHERE id = $1 AND status <> 'rejected' LIMIT 1`;
    return (await this.#db.rows(sql, [id])).length > 0;
  }

  /** Marks the newest approved one; none where there is none. */
  async markNewest(id: string, number: number | undefined): Promise<void> {
    await this.#db.run('UPDATE marketplace_versions SET newest = 0 WHERE id = $1 AND newest = 1', [id]);
    if (number !== undefined) await this.#db.run('UPDATE marketplace_versions SET newest = 1 WHERE number = $1', [number]);
  }

  /** Undefined where the version isn't in the state that it is to leave. */
  async judge({ id, version }: VersionName, { from, to, reason, reviewer, now }: Verdict): Promise<StoredVersion | undefined> {
    const [row] = await this.#db.rows<Row>(
      `UPDATE marketplace_versions AS v SET status = $1, reason = $2, reviewer_id = $3, reviewer_name = $4, reviewed_at = $5
       WHERE v.id = $6 AND v.version = $7 AND v.status = $8 RETURNING ${columns.replaceAll('v.', '')}`,
      [to, reason, reviewer.member_id, reviewer.username, now, id, version, from],
    );
    return row && toVersion(row);
  }

  /** Those that were rejected before a time. */
  rejectedBefore(time: string, limit: number): Promise<{ number: number; id: string }[]> {
    const sql = `SELECT number, id FROM marketplace_versions WHERE status = 'rejected' AND reviewed_at < $1 ORDER BY number LIMIT $2`;
    return this.#db.rows(sql, [time, limit]);
  }

  /** How many of a member's versions wait for their review. */
  async waitingOf(member_id: number): Promise<number> {
    const sql = `SELECT count(*) AS waiting FROM marketplace_versions WHERE publisher_id = $1 AND status = 'under_review'`;
    const [row] = await this.#db.rows<{ waiting: number | string }>(sql, [member_id]);
    return Number(row?.waiting ?? 0);
  }

  async page(status: VersionStatus | undefined, { limit, offset }: { limit: number; offset: number }): Promise<VersionPage> {
    const [where, values]: [string, SqlValue[]] = status === undefined ? ['1 = 1', []] : ['v.status = $1', [status]];
    const [count] = await this.#db.rows<{ total: number | string }>(
      `SELECT count(*) AS total FROM marketplace_versions v WHERE ${where}`,
      values,
    );
    const rows = await this.#db.rows<Row>(
      `SELECT ${columns} FROM marketplace_versions v WHERE ${where} ORDER BY v.number DESC LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`,
      values,
    );
    return { items: rows.map(toVersion), total: Number(count?.total ?? 0) };
  }
}

type KnownBundle = Pick<StoredVersion, 'id' | 'status' | 'content_hash' | 'source' | 'signature'>;
type KnownRow = Omit<KnownBundle, 'signature'> & Pick<Row, 'public_key' | 'signature'>;
type ApprovedVersion = Pick<StoredVersion, 'number' | 'version' | 'content_hash' | 'signature' | 'created_at' | 'reviewed_at'>;
type ApprovedRow = Omit<ApprovedVersion, 'signature'> & Pick<Row, 'public_key' | 'signature'>;

interface VersionPage {
  items: StoredVersion[];
  total: number;
}
