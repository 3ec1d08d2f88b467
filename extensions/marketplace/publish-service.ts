import { type BundleSignature, type Caller, type CheckedBundle, fail as failInput } from '../../kernel/contract/index.js';
import { checksOf } from './checks.js';
import { fail } from './codes.js';
import type { Published, Publisher, PublishInput } from './contract.js';
import type { Parts } from './parts.js';
import type { StoredExtension } from './store/extensions.js';

type Dependencies = Pick<Parts, 'clock' | 'installer' | 'bundles' | 'ids' | 'versions' | 'trust' | 'about' | 'emit'>;

/** Limit of one member's versions under review, because each stores a ZIP. */
const max_waiting = 20;

/** Publishes bundles: checks and stores them, and submits them for review. */
export class PublishService {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  async publish(input: PublishInput, { member_id, username }: Caller, signal: AbortSignal): Promise<Published> {
    const { installer, versions, bundles, trust, about } = this.#parts;
    const publisher = { member_id, username };
    const signature = signatureOf(input);
    const bundle = await installer.check(input.file.path, signal);
    const { content_hash } = bundle;
    const { id, version, type } = bundle.manifest;
    about(`${id}/${version}`);
    if (type !== input.type) throw fail('bundle_type_mismatch', `The bundle is a ${type}, but was published as a ${input.type}`);
    trust.assertValidSignature({ id, version, content_hash, signature });
    await this.#assertPublishable(bundle, publisher);
    const compared = await versions.newest(id);
    const checks = checksOf({ bundle, signature, compared, platform_version: installer.platform_version });
    await bundles.store(input.file.path, content_hash, () => this.#record({ bundle, bytes: input.file.bytes, signature, publisher }));
    return { id, version, type, status: 'under_review', content_hash, checks };
  }

  /** Rejects what would fail later, before anything is stored. */
  async #assertPublishable({ manifest: { id, version, type } }: CheckedBundle, publisher: Publisher): Promise<void> {
    const { ids, versions } = this.#parts;
    // Read before the owner, so that a version published by another member meanwhile is reported as theirs, not merely as existing.
    const existing = await versions.find({ id, version });
    await ids.assertClaimable(id, type, ownedBy(publisher));
    assertVersionUnused(id, version, existing?.status);
    await this.#assertFewWaiting(publisher);
  }

  async #record({
    bundle,
    publisher,
    ...rest
  }: {
    bundle: CheckedBundle;
    bytes: number;
    signature: BundleSignature | null;
    publisher: Publisher;
  }) {
    const { clock, ids, versions, bundles, emit } = this.#parts;
    const { id, version, type, name } = bundle.manifest;
    const now = clock.iso();
    await ids.claim(id, type, { owner: publisher, source: null, now }, ownedBy(publisher));
    const before = await versions.find({ id, version });
    assertVersionUnused(id, version, before?.status);
    await this.#assertFewWaiting(publisher);
    if (before) await versions.delete(before.number);
    const number = await versions.insert({ bundle, publisher, status: 'under_review', source: null, now, ...rest });
    await bundles.hold(number, bundle.content_hash);
    await emit('marketplace.published', { id, version, name, type, publisher });
  }

  async #assertFewWaiting({ member_id }: Publisher): Promise<void> {
    if ((await this.#parts.versions.waitingOf(member_id)) < max_waiting) return;
    throw fail('too_many_waiting', `${max_waiting} of your versions are already under review: publish more once some are reviewed`);
  }
}

const ownedBy =
  ({ member_id }: Publisher) =>
  ({ owner }: StoredExtension) =>
    owner?.member_id === member_id;

function assertVersionUnused(id: string, version: string, status: string | undefined): void {
  if (status === undefined || status === 'rejected') return;
  throw fail(
    'version_exists',
    `Version ${version} of '${id}' already exists and is ${status.replace('_', ' ')}: use another version number`,
  );
}

function signatureOf({ public_key, signature }: PublishInput): BundleSignature | null {
  if (public_key !== undefined && signature !== undefined) return { public_key, signature };
  if (public_key === undefined && signature === undefined) return null;
  const [missing, present] = public_key === undefined ? ['public_key', 'signature'] : ['signature', 'public_key'];
  const message = `"${missing}" is required with "${present}"`;
  throw failInput('invalid_input', message, { details: [{ path: missing as string, message }] });
}
