import { createHash } from 'node:crypto';
import type { Cleaner, Clock, Database } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { MemberUsage } from './contract.js';
import type { BytesOfMembers, Upload, UsageRows } from './store/usage-sql.js';

/** Time for which images without a message count: as long as their bytes may stay stored. */
const unsent_ms = 3_600_000;

interface UsageParts {
  rows: UsageRows;
  db: Database;
  clock: Clock;
  /** Limit per member; 0 means none. */
  quota_bytes: number;
}

/**
 * Counts the bytes that members write and upload. Each message counts its text, in UTF-8, and each of its images whole for its sender,
 * even if the same image is stored once for several messages. Images count before they are stored. If their message is refused afterwards,
 * they count for an hour, because their bytes stay stored that long; otherwise refused messages could fill the disk.
 */
export class Usage {
  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  async of(member_id: number): Promise<MemberUsage> {
    const { rows, quota_bytes } = this.#parts;
    return { bytes: await rows.of(member_id), quota_bytes };
  }

  /**
   * Reserves quota for images before they are stored, in a separate transaction. The same images aren't counted again until their
   * message is sent, so that a retry costs nothing. Fails with `quota_exceeded`.
   */
  async reserve(member_id: number, images: readonly Uint8Array[]): Promise<Upload> {
    const { rows, db, clock } = this.#parts;
    const bytes = images.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const upload = { member_id, hash: await hashOf(images), bytes };
    const count = async () => {
      if (await rows.addUpload(upload, clock.iso())) await this.#add(upload);
    };
    await db.transaction(count, { audited: false });
    return upload;
  }

  /** Releases the quota of images that could not be stored. */
  async cancel(upload: Upload): Promise<void> {
    const { rows, db } = this.#parts;
    const giveBack = async () => {
      if (await rows.removeUpload(upload)) await rows.subtract(new Map([[upload.member_id, upload.bytes]]));
    };
    await db.transaction(giveBack, { audited: false });
  }

  /**
   * Confirms that the message with the images is stored, within the current transaction. Fails with `quota_exceeded` if the quota was
   * reserved for another message with the same images and does not suffice for both.
   */
  async confirm(upload: Upload): Promise<void> {
    if (!(await this.#parts.rows.removeUpload(upload))) await this.#add(upload);
  }

  /** Adds to the total. Serialises concurrent requests, so that together they can't exceed the quota. */
  async #add({ member_id, bytes }: Upload): Promise<void> {
    const { rows, quota_bytes } = this.#parts;
    const total = await rows.add(member_id, bytes);
    if (quota_bytes > 0 && total > quota_bytes) throw exceeded(total, quota_bytes);
  }

  /** Counts a text that the current transaction stores, whatever the quota is. */
  async addText(member_id: number, text: string): Promise<void> {
    if (text !== '') await this.#parts.rows.add(member_id, Buffer.byteLength(text));
  }

  /** Counts a changed text: adds or, if negative, subtracts bytes, at the end of the transaction. */
  async change(member_id: number, bytes: number): Promise<void> {
    if (bytes > 0) await this.#parts.rows.add(member_id, bytes);
    if (bytes < 0) await this.#parts.rows.subtract(new Map([[member_id, -bytes]]));
  }

  /** Returns the bytes of a message, its text and its images. */
  ofMessage(message_id: string): Promise<number> {
    return this.#parts.rows.ofMessage(message_id);
  }

  /** Returns the bytes that members have in sessions, for {@link free} once these are removed. */
  inSessions(sessions: readonly string[]): Promise<BytesOfMembers> {
    return this.#parts.rows.inSessions(sessions);
  }

  /** Frees bytes, at the end of the transaction that removes their sessions. */
  free(freed: BytesOfMembers): Promise<void> {
    return this.#parts.rows.subtract(freed);
  }

  /** Forgets a member, at the end of the transaction that removes it. */
  forget(member_id: number, freed: BytesOfMembers): Promise<void> {
    return this.#parts.rows.forget(member_id, freed);
  }

  /** Releases the quota of images whose message was never sent. */
  get cleaner(): Cleaner {
    const { rows, db, clock } = this.#parts;
    const clean = () =>
      db.transaction(async () => {
        const { count, freed } = await rows.removeUploads(new Date(clock.now() - unsent_ms).toISOString());
        await rows.subtract(freed);
        return count;
      });
    return { name: 'uploads', clean };
  }
}

function exceeded(bytes: number, quota_bytes: number): Error {
  const message = `Your files, images and texts would use ${bytes} bytes, but your quota is ${quota_bytes} bytes; delete sessions that you no longer need`;
  return fail('quota_exceeded', message);
}

/** Hashes images in their order, outside of the main thread. */
async function hashOf(images: readonly Uint8Array[]): Promise<string> {
  const hash = createHash('sha256');
  for (const bytes of images) hash.update(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
  return hash.digest('hex');
}
