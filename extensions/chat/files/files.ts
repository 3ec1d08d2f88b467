import { readFile } from 'node:fs/promises';
import {
  type Blobs,
  type Clock,
  type Database,
  type FileAnswer,
  fail as failCore,
  type SecondStep,
  type StoredDocument,
} from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { MessageFile, ReceivedFile, UnsentFiles } from '../contract.js';
import { type ImageThumbnails, noThumbnail } from '../images/thumbnails.js';
import { MemoryLimit } from '../memory-limit.js';
import type { FileRow, MessageRow } from '../models.js';
import type { FileTexts } from '../store/file-texts-sql.js';
import { type FileRows, freedBy, type NamingMessage, type RemovedFile } from '../store/files-sql.js';
import type { BytesOfMembers } from '../store/usage-sql.js';
import type { Usage } from '../usage.js';
import { safeName } from './name.js';
import { fileTypeOf, isShown, mayHaveText } from './type.js';

/** Limit of one file. */
export const max_bytes = 50 * 1024 * 1024;
/** Limit of the bytes of all files that are read at once. */
const max_together_bytes = 256 * 1024 * 1024;
/** Limit of the wait for memory that other files use, and of the work in it. */
const wait_ms = 25_000;
/** Time after which a file that was never sent is removed. */
const unsent_ms = 3_600_000;

interface FilesParts {
  rows: FileRows;
  blobs: Blobs;
  db: Database;
  clock: Clock;
  usage: Pick<Usage, 'reserve' | 'cancel' | 'confirm' | 'free'>;
  texts: Pick<FileTexts, 'add'>;
  /** Starts the reading of the texts. */
  readTexts: () => void;
  newId: () => string;
  thumbnails: ImageThumbnails;
}

/** Files of messages. A file counts for the member who uploaded it until it is removed, however many messages name it. */
export class Files {
  readonly #parts: FilesParts;
  readonly #memory = new MemoryLimit({ max_bytes: max_together_bytes, wait_ms, busy });

  constructor(parts: FilesParts) {
    this.#parts = parts;
  }

  /**
   * Stores the bytes of an upload, outside of a transaction. Returns a function that records the file. The first step fails with
   * `file_empty`, `payload_too_large`, `quota_exceeded`, `disk_low` and `server_busy`, the second with `quota_exceeded`.
   */
  async upload({ filename, path, bytes }: ReceivedFile, member_id: number): Promise<SecondStep<MessageFile>> {
    const name = safeName(filename);
    assertUploadable(name, bytes);
    return this.#memory.run(bytes, () => this.#store(path, name, member_id));
  }

  async #store(path: string, name: string, member_id: number): Promise<SecondStep<MessageFile>> {
    const { blobs, usage, db } = this.#parts;
    const content = await readFile(path);
    const upload = await usage.reserve(member_id, [content]);
    // If this fails, the cleaner releases the quota later.
    const unneeded = () => usage.cancel(upload).catch(() => undefined);
    try {
      const hash = (await blobs.put(content)).slice('sha256:'.length);
      const stored = { name, mime_type: fileTypeOf(content, name), bytes: content.length, hash, uploader_id: member_id };
      const record = () =>
        db.transaction(async () => {
          const file = await this.#add(stored);
          await usage.confirm(upload);
          return file;
        });
      return Object.assign(record, { unneeded });
    } catch (fault) {
      await unneeded();
      throw fault;
    }
  }

  /**
   * Stores a file of an import, whatever the quota is; it belongs to nobody until a message names it. Fails with `file_empty`,
   * `payload_too_large`, `disk_low` and `server_busy`.
   */
  async imported({ filename, path, bytes }: ReceivedFile): Promise<MessageFile> {
    const name = safeName(filename);
    assertUploadable(name, bytes);
    const { blobs, db } = this.#parts;
    return this.#memory.run(bytes, async () => {
      const content = await readFile(path);
      const hash = (await blobs.put(content)).slice('sha256:'.length);
      const stored = { name, mime_type: fileTypeOf(content, name), bytes: content.length, hash, uploader_id: null };
      return db.transaction(() => this.#add(stored), { audited: false });
    });
  }

  /** Attaches files of an import to their message within the current transaction; they become its sender's. */
  async attachImported(files: readonly MessageFile[], message: Pick<MessageRow, 'id' | 'session_id' | 'sender_id'>): Promise<void> {
    if (files.length === 0) return;
    const ids = files.map(({ id }) => id);
    await this.#parts.rows.attach(ids, { message_id: message.id, session_id: message.session_id });
    await this.#parts.rows.give(ids, message.sender_id);
    await this.#queueTexts(files, message.sender_id ?? 0);
  }

  async #add(file: Omit<FileRow, 'id' | 'unsent_since'>): Promise<MessageFile> {
    const { rows, blobs, clock, newId } = this.#parts;
    const row = { ...file, id: newId(), unsent_since: clock.iso() };
    await rows.add(row);
    await blobs.hold(holderOf(row.id), [`sha256:${row.hash}`]);
    return toRecord(row);
  }

  /** Returns a page of the files that the member has uploaded and not sent. */
  async unsent(member_id: number, page: { limit: number; offset: number }): Promise<Pick<UnsentFiles, 'items' | 'total'>> {
    const { rows, count } = await this.#parts.rows.unsent(member_id, page);
    const items = rows.map((row) => ({ ...toRecord(row), expires_at: expiryOf(row.unsent_since) }));
    return { items, total: count };
  }

  /** Removes a file that the member has uploaded and not sent. Fails with `file_not_found`, or with `file_sent` if a message names it. */
  async remove(id: string, member_id: number): Promise<void> {
    const { rows, db } = this.#parts;
    await db.transaction(async () => {
      const removed = await rows.removeUnsentOf(member_id, id);
      await this.#free(removed);
      if (removed.length > 0) return;
      await this.#visible(id, member_id);
      throw fail('file_sent', `The file ${id} was sent; it is removed with the last message that names it`);
    });
  }

  /** Returns a file that the member sees. Fails with `file_not_found` and `server_busy`. */
  async get(id: string, member_id: number): Promise<FileAnswer> {
    const row = await this.#visible(id, member_id);
    const { mime_type, hash, name } = row;
    return { mime_type, bytes: await this.#presentBytes(row), etag: hash, ...(isShown(mime_type) ? {} : { save_as: name }) };
  }

  /**
   * Returns the thumbnail of an image that the member sees. Fails with `no_thumbnail` for other files, with `file_not_found` and `server_busy`,
   * and as {@link ImageThumbnails.of} does.
   */
  async thumbnail(id: string, member_id: number): Promise<FileAnswer> {
    const row = await this.#visible(id, member_id);
    if (!isShown(row.mime_type)) throw noThumbnail();
    return this.#parts.thumbnails.of(row.hash, () => this.#presentBytes(row));
  }

  /** Returns a file that a message of a session names, if the member sees it. Fails with `file_not_found` and `server_busy`. */
  async ofSession(id: string, session_id: string, member_id: number): Promise<{ mime_type: string; bytes: Buffer }> {
    const row = await this.#visible(id, member_id, session_id);
    return { mime_type: row.mime_type, bytes: await this.#presentBytes(row) };
  }

  async #visible(id: string, member_id: number, session_id?: string): Promise<FileRow> {
    const row = await this.#parts.rows.visible(id, member_id, session_id);
    if (!row) throw notVisible(id);
    return row;
  }

  async #presentBytes(row: FileRow): Promise<Buffer> {
    const bytes = await this.bytesOf(row);
    if (!bytes) throw notVisible(row.id);
    return bytes;
  }

  /** Returns the bytes of a file; undefined if they are gone. Fails with `server_busy`. */
  bytesOf({ bytes, hash }: Pick<FileRow, 'bytes' | 'hash'>): Promise<Buffer | undefined> {
    return this.#memory.run(bytes, () => this.#parts.blobs.get(`sha256:${hash}`));
  }

  /** Returns a file as a document. Its bytes fail with `file_not_found` if they are gone, and with `server_busy`. */
  document(file: Pick<FileRow, 'name' | 'mime_type' | 'bytes' | 'hash'>): StoredDocument {
    const { name, mime_type, hash } = file;
    const bytes = async () => {
      const found = await this.bytesOf(file);
      if (!found) throw fail('file_not_found', `The file ${JSON.stringify(name)} was removed`);
      return found;
    };
    return { name, mime_type, hash, bytes };
  }

  /** Returns files that the member may send: own ones that it sees. Inside a transaction it locks them. Fails with `file_not_found`. */
  async ofSender(ids: readonly string[], member_id: number): Promise<MessageFile[]> {
    if (ids.length === 0) return [];
    const found = await this.#parts.rows.own(ids, member_id);
    return ids.map((id) => {
      const row = found.get(id);
      if (!row) throw fail('file_not_found', `There is no file ${id} of yours; upload it first`);
      return toRecord(row);
    });
  }

  /**
   * Attaches files to a message within the current transaction, and queues them for the reading of their texts. Fails with `file_not_found` if
   * one was removed since.
   */
  async attach(files: readonly MessageFile[], sender_id: number, message: NamingMessage): Promise<void> {
    if (files.length === 0) return;
    const ids = files.map(({ id }) => id);
    await this.ofSender(ids, sender_id);
    await this.#parts.rows.attach(ids, message);
    await this.#queueTexts(files, sender_id);
  }

  async #queueTexts(files: readonly MessageFile[], sender_id: number): Promise<void> {
    const { texts, db, readTexts } = this.#parts;
    const readable = files.filter(({ mime_type }) => mayHaveText(mime_type)).map(({ id }) => id);
    if (readable.length === 0) return;
    await texts.add(readable, sender_id);
    db.afterCommit(readTexts);
  }

  /** Removes the files that only these sessions or this message had, within the transaction that removes these. Returns the bytes to free. */
  async forget(where: { message_id: string } | { session_id: readonly string[] }): Promise<BytesOfMembers> {
    const { rows } = this.#parts;
    const removed = await rows.removeUnnamed(await rows.detach(where));
    await this.#release(removed);
    return freedBy(removed);
  }

  /** Removes a member's unsent files and its name from the others, within the transaction that removes the member and its usage. */
  async disown(member_id: number): Promise<void> {
    await this.#release(await this.#parts.rows.disown(member_id));
  }

  /** Removes files that no message has named for an hour. */
  async clean(): Promise<number> {
    const { rows, db, clock } = this.#parts;
    const before = new Date(clock.now() - unsent_ms).toISOString();
    const removeSome = async () => {
      const removed = await rows.removeUnsent(before);
      await this.#free(removed);
      return removed.length;
    };
    let count = 0;
    for (let last = -1; last !== 0; count += last) last = await db.transaction(removeSome);
    return count;
  }

  /** Releases the bytes and the quota of removed files. */
  async #free(removed: readonly RemovedFile[]): Promise<void> {
    if (removed.length === 0) return;
    await this.#release(removed);
    await this.#parts.usage.free(freedBy(removed));
  }

  /** Releases the bytes of removed files. */
  async #release(removed: readonly Pick<FileRow, 'id'>[]): Promise<void> {
    if (removed.length > 0) await this.#parts.blobs.release(removed.map(({ id }) => holderOf(id)));
  }
}

function assertUploadable(name: string, bytes: number): void {
  if (bytes === 0) throw fail('file_empty', `The file ${JSON.stringify(name)} is empty; there is nothing to send`);
  if (bytes > max_bytes) throw failCore('payload_too_large', `The file has ${bytes} bytes; the limit is ${max_bytes}`);
}

function busy(): Error {
  return failCore('server_busy', 'Too many files are being uploaded or read; try again in a moment', { retry_after: 10 });
}

function notVisible(id: string): Error {
  return fail('file_not_found', `There is no file ${id} that you can see`);
}

/** Returns the time at which a file is removed that was uploaded at a time and not sent. */
function expiryOf(unsent_since: string | null): string {
  return new Date(Date.parse(unsent_since ?? '') + unsent_ms).toISOString();
}

function holderOf(file_id: string): string {
  return `file:${file_id}`;
}

function toRecord({ id, name, mime_type, bytes, hash }: FileRow): MessageFile {
  return { id, name, mime_type, bytes, sha256: hash };
}
