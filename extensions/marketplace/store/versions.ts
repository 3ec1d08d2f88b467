import { type BundleSignature, type CheckedBundle, Op } from '../../../kernel/contract/index.js';
import type { Publisher, VersionName, VersionStatus } from '../contract.js';
import type { Models, VersionRow } from '../models.js';
import { type FullVersion, listedColumns, type StoredVersion, signatureOf, toVersion } from './version-row.js';

export interface NewVersion {
  bundle: CheckedBundle;
  /** Size of the ZIP. */
  bytes: number;
  status: 'under_review' | 'approved';
  signature: BundleSignature | null;
  publisher: Publisher | null;
  source: string | null;
  now: string;
}

/** A decision of a reviewer. */
export interface StatusChange {
  from: VersionStatus;
  to: Exclude<VersionStatus, 'under_review'>;
  reason: string | null;
  reviewer: Publisher;
  now: string;
}

type BundleState = Pick<StoredVersion, 'id' | 'status' | 'content_hash' | 'source' | 'signature'>;
type ApprovedVersion = Pick<StoredVersion, 'number' | 'version' | 'content_hash' | 'signature' | 'created_at' | 'reviewed_at'>;

interface VersionPage {
  items: StoredVersion[];
  total: number;
}

const asListed = { attributes: [...listedColumns], raw: true };

export class VersionStore {
  readonly #model: Models['versions'];

  constructor(model: Models['versions']) {
    this.#model = model;
  }

  /** Inserts a version; returns its number. */
  async insert({ bundle, bytes, status, signature, publisher, source, now }: NewVersion): Promise<number> {
    const { manifest, readme, files, unpacked_bytes, content_hash } = bundle;
    const { contributes: _contributes, config: _config, ...about } = manifest;
    const { id, version, name, description, author, category = '', tags = [] } = manifest;
    const { number } = await this.#model.create({
      id,
      version,
      status,
      newest: 0,
      category,
      search: [id, name, description, author, ...tags].join('\n').toLowerCase(),
      tags: tags.length === 0 ? '' : `,${tags.join(',').toLowerCase()},`,
      about,
      manifest,
      // PostgreSQL doesn't accept NUL.
      readme: readme.replaceAll('\0', '\u{FFFD}'),
      files,
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
    });
    return number;
  }

  async delete(number: number): Promise<void> {
    await this.#model.destroy({ where: { number } });
  }

  find({ id, version }: VersionName): Promise<StoredVersion | undefined> {
    return this.#one({ id, version });
  }

  async full({ id, version }: VersionName): Promise<FullVersion | undefined> {
    const attributes = [...listedColumns, 'manifest', 'readme', 'files', 'unpacked_bytes'];
    const row: VersionRow | null = await this.#model.findOne({ attributes, where: { id, version }, raw: true });
    return row ? toVersion(row) : undefined;
  }

  /** Finds the newest approved version. */
  newest(id: string): Promise<StoredVersion | undefined> {
    return this.#one({ id, newest: 1 });
  }

  /** Returns the newest approved versions of those ids that have one. */
  async newestOf(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#model.findAll({ attributes: ['id', 'version'], where: { newest: 1, id: [...ids] }, raw: true });
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  /** Returns what is known about bundles, by hash. */
  async states(hashes: readonly string[]): Promise<BundleState[]> {
    const attributes = ['id', 'status', 'content_hash', 'source', 'public_key', 'signature'];
    const rows = await this.#model.findAll({ attributes, where: { content_hash: [...hashes] }, raw: true });
    return rows.map(({ id, status, content_hash, source, public_key, signature }) => {
      return { id, status, content_hash, source, signature: signatureOf(public_key, signature) };
    });
  }

  async approved(id: string): Promise<ApprovedVersion[]> {
    const attributes = ['number', 'version', 'content_hash', 'public_key', 'signature', 'created_at', 'reviewed_at'];
    const rows = await this.#model.findAll({ attributes, where: { id, status: 'approved' }, raw: true });
    return rows.map(({ number, version, content_hash, public_key, signature, created_at, reviewed_at }) => {
      return { number, version, content_hash, signature: signatureOf(public_key, signature), created_at, reviewed_at };
    });
  }

  async isEmpty(id: string): Promise<boolean> {
    return (await this.#model.count({ where: { id } })) === 0;
  }

  /** Returns whether an id has a version that was not rejected. */
  async isUsed(id: string): Promise<boolean> {
    return (await this.usedIds([id])).has(id);
  }

  /** Returns the ids with a version that was not rejected: a source's versions of them are hidden. */
  async usedIds(ids: readonly string[]): Promise<Set<string>> {
    const where = { id: [...ids], status: { [Op.ne]: 'rejected' } };
    return new Set((await this.#model.findAll({ attributes: ['id'], where, group: ['id'], raw: true })).map(({ id }) => id));
  }

  /** Marks the newest approved version, if any, and unmarks the previous one. */
  async markNewest(id: string, number: number | undefined): Promise<void> {
    await this.#model.update({ newest: 0 }, { where: { id, newest: 1 } });
    if (number !== undefined) await this.#model.update({ newest: 1 }, { where: { number } });
  }

  /** Changes a version's status; undefined if it isn't in the expected state. Runs in a transaction that has locked the id. */
  async decide({ id, version }: VersionName, { from, to, reason, reviewer, now }: StatusChange): Promise<StoredVersion | undefined> {
    const columns = { status: to, reason, reviewer_id: reviewer.member_id, reviewer_name: reviewer.username, reviewed_at: now };
    const [changed] = await this.#model.update(columns, { where: { id, version, status: from } });
    return changed === 0 ? undefined : this.find({ id, version });
  }

  /** Lists versions rejected before a time. */
  rejectedBefore(time: string, limit: number): Promise<{ number: number; id: string }[]> {
    const where = { status: 'rejected', reviewed_at: { [Op.lt]: time } };
    return this.#model.findAll({ attributes: ['number', 'id'], where, order: ['number'], limit, raw: true });
  }

  /** Counts a member's versions under review. */
  waitingOf(publisher_id: number): Promise<number> {
    return this.#model.count({ where: { publisher_id, status: 'under_review' } });
  }

  async page(status: VersionStatus | undefined, { limit, offset }: { limit: number; offset: number }): Promise<VersionPage> {
    const where = status === undefined ? {} : { status };
    const total = await this.#model.count({ where });
    const rows = await this.#model.findAll({ ...asListed, where, order: [['number', 'DESC']], limit, offset });
    return { items: rows.map(toVersion), total };
  }

  async #one(where: Partial<VersionRow>): Promise<StoredVersion | undefined> {
    const row = await this.#model.findOne({ ...asListed, where });
    return row ? toVersion(row) : undefined;
  }
}
