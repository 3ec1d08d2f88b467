import type { Caller } from '../../kernel/contract/index.js';
import { checksOf, permissionChanges, signatureChange } from './checks.js';
import { fail } from './codes.js';
import type { Approval, Ownership, Publisher, Review, ReviewDetail, ReviewPage, ReviewQuery, VersionName } from './contract.js';
import { newestOf } from './newest.js';
import type { Parts } from './parts.js';
import { contributionsOf } from './records.js';
import type { StoredVersion } from './store/version-row.js';
import type { StatusChange } from './store/versions.js';

type Dependencies = Pick<
  Parts,
  'db' | 'clock' | 'installer' | 'bundles' | 'ids' | 'extensions' | 'versions' | 'trust' | 'emit' | 'usernameOf'
>;

interface Decision extends Omit<StatusChange, 'now'> {
  /** Hash of the reviewed content. */
  content_hash?: string | undefined;
}

/** Reviews versions, for administrators. */
export class ReviewService {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  async page({ status, limit, offset }: ReviewQuery): Promise<ReviewPage> {
    const { items, total } = await this.#parts.versions.page(status, { limit, offset });
    return { items: items.map(reviewOf), total };
  }

  async review(name: VersionName): Promise<ReviewDetail> {
    const { versions, installer, trust } = this.#parts;
    const found = await versions.full(name);
    if (!found) throw versionNotFound(name);
    const { manifest, files, unpacked_bytes, readme, signature } = found;
    const newestOther = newestOf((await versions.approved(name.id)).filter(({ number }) => number !== found.number));
    const compared = newestOther && (await versions.find({ id: name.id, version: newestOther.version }));
    return {
      ...reviewOf(found),
      manifest,
      files: [...files],
      unpacked_bytes,
      readme,
      compared_with: compared?.version ?? null,
      permissions: permissionChanges(compared?.about.permissions, manifest.permissions),
      signature,
      signature_change: signatureChange(compared?.signature ?? null, signature),
      signed_by: await trust.nameOf(signature),
      contributes: contributionsOf(manifest),
      checks: checksOf({ bundle: found, signature, compared, platform_version: installer.platform_version }),
    };
  }

  approve({ content_hash, ...name }: Approval, caller: Caller): Promise<Review> {
    return this.#decide(name, { content_hash, from: 'under_review', to: 'approved', reason: null, reviewer: personOf(caller) });
  }

  /** Rejects a version and drops its ZIP. */
  reject(name: VersionName, reason: string, caller: Caller): Promise<Review> {
    return this.#decide(name, { from: 'under_review', to: 'rejected', reason, reviewer: personOf(caller) });
  }

  yank(name: VersionName, reason: string, caller: Caller): Promise<Review> {
    return this.#decide(name, { from: 'approved', to: 'yanked', reason: reason || null, reviewer: personOf(caller) });
  }

  /** Transfers an id. From then on it belongs to the platform, even if it came from a source. */
  async transfer(id: string, member_id: number): Promise<Ownership> {
    const { db, extensions, usernameOf } = this.#parts;
    const owner = { member_id, username: await usernameOf(member_id) };
    await db.transaction(async () => {
      const current = await extensions.lock(id);
      if (!current) throw fail('extension_not_found', `Nothing has been published under the id '${id}'`);
      await extensions.transfer(id, current.type, { owner, source: null });
    });
    return { id, owner };
  }

  async #decide(name: VersionName, { content_hash, ...verdict }: Decision): Promise<Review> {
    const { db, clock, bundles, ids, extensions, versions, trust, emit } = this.#parts;
    const { to: status, reason, reviewer } = verdict;
    return db.transaction(async () => {
      await extensions.lock(name.id);
      const decided = await versions.decide(name, { ...verdict, now: clock.iso() });
      if (!decided) throw await this.#reasonAgainst(name, verdict);
      assertReviewedContent(decided, content_hash);
      if (status === 'approved') await trust.assertTrusted(decided);
      if (status === 'rejected') await bundles.release(decided.number);
      else await ids.updateNewest(name.id);
      const { id, version, about, publisher } = decided;
      await emit('marketplace.reviewed', { id, version, name: about.name, type: about.type, status, reason, publisher, reviewer });
      return reviewOf(decided);
    });
  }

  async #reasonAgainst(name: VersionName, { from, to }: Pick<StatusChange, 'from' | 'to'>) {
    const found = await this.#parts.versions.find(name);
    if (!found) return versionNotFound(name);
    const readable = (status: string) => status.replace('_', ' ');
    return fail(
      'wrong_state',
      `Version ${name.version} of '${name.id}' is ${readable(found.status)}; only a version that is ${readable(from)} can be ${to}`,
    );
  }
}

function reviewOf({
  id,
  version,
  about,
  status,
  reason,
  content_hash,
  bytes,
  publisher,
  source,
  created_at,
  reviewed_at,
  reviewer,
}: StoredVersion): Review {
  const { name, type, author, description } = about;
  const decision = { reviewed_at, reviewed_by: reviewer };
  return { id, version, name, type, author, description, status, reason, content_hash, bytes, publisher, source, created_at, ...decision };
}

function assertReviewedContent({ id, version, content_hash }: StoredVersion, seen: string | undefined): void {
  if (seen === undefined || seen === content_hash) return;
  throw fail('content_changed', `Version ${version} of '${id}' has changed since the review: it is now ${content_hash}`);
}

function versionNotFound({ id, version }: VersionName) {
  return fail('version_not_found', `There is no version ${version} of an extension '${id}'`);
}

function personOf({ member_id, username }: Caller): Publisher {
  return { member_id, username };
}
