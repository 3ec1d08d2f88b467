import { fail } from './codes.js';
import type { ExtensionType } from './contract.js';
import { newestOf } from './newest.js';
import type { Parts } from './parts.js';
import type { Origin, StoredExtension } from './store/extensions.js';

type Dependencies = Pick<Parts, 'extensions' | 'versions'>;

/** Decides who may publish under an id. An id whose versions were all rejected is free again. */
export class ExtensionIds {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /**
   * Claims an id in the current transaction; `mayClaim` decides whether an id with another owner's versions may be claimed
   * anyway. Returns the previous owner, undefined if it was free. Fails with `not_owner` and `type_changed`.
   */
  async claim(
    id: string,
    type: ExtensionType,
    origin: Origin & { now: string },
    mayClaim: (taken: StoredExtension) => boolean,
  ): Promise<StoredExtension | undefined> {
    const { extensions, versions } = this.#parts;
    const current = await extensions.claim(id, type, origin);
    const used = await versions.isUsed(id);
    if (used) assertOwner(current, type, mayClaim(current));
    if (!used || !isOwner(current, origin)) await extensions.transfer(id, type, origin);
    return used ? current : undefined;
  }

  /** Fails as {@link claim} would now, without claiming anything. */
  async assertClaimable(id: string, type: ExtensionType, mayClaim: (taken: StoredExtension) => boolean): Promise<void> {
    const { extensions, versions } = this.#parts;
    const there = await extensions.find(id);
    if (there && (await versions.isUsed(id))) assertOwner(there, type, mayClaim(there));
  }

  /** Returns the settled origin of an id's versions; undefined if the id is free. */
  async originOf(id: string): Promise<StoredExtension | undefined> {
    const { extensions, versions } = this.#parts;
    const current = await extensions.find(id);
    return current && (await versions.isUsed(id)) ? current : undefined;
  }

  /** Marks the newest approved version, in the transaction that changed one. */
  async updateNewest(id: string): Promise<void> {
    const { versions } = this.#parts;
    await versions.markNewest(id, newestOf(await versions.approved(id))?.number);
  }
}

function isOwner({ owner, source }: StoredExtension, origin: Origin): boolean {
  return origin.owner ? owner?.member_id === origin.owner.member_id : source === origin.source;
}

function assertOwner(taken: StoredExtension, type: ExtensionType, may: boolean): void {
  const { id, owner, source } = taken;
  if (!may)
    throw fail(
      'not_owner',
      `'${id}' belongs to ${owner ? `'${owner.username}'` : `the source ${source}`}: choose another id, or ask an administrator to transfer it`,
    );
  if (taken.type !== type) throw fail('type_changed', `'${id}' is a ${taken.type} and stays one, but this bundle is a ${type}`);
}
