import {
  type Database,
  type DocumentText,
  type DocumentTexts,
  isFailure,
  type JobRun,
  type Log,
  type UnreadableDocument,
  type Work,
} from '../../../kernel/contract/index.js';
import type { Files } from '../files/files.js';
import { mayHaveText } from '../files/type.js';
import type { FileRow } from '../models.js';
import type { Membership } from '../rooms/membership.js';
import { type FileTexts, jobTable, type TextJob } from '../store/file-texts-sql.js';
import type { Messages } from '../store/messages-sql.js';
import type { Sessions } from '../store/sessions-sql.js';
import { max_file_text, storable } from '../text.js';

interface FileReadingParts {
  db: Database;
  log: Log;
  texts: FileTexts;
  files: Pick<Files, 'document'>;
  documents: DocumentTexts;
  messages: Pick<Messages, 'find' | 'index'>;
  sessions: Pick<Sessions, 'lock' | 'participants'>;
  membership: Pick<Membership, 'of'>;
}

/** Limit of attempts, because a file might end the platform's process each time. After it the file counts as one without text. */
const max_attempts = 3;
/** Wait before the next attempt if too many documents wait. */
const busy_ms = 30_000;
/** Wait before the next attempt at a file that took too long: the machine may have been busy. */
const late_ms = 600_000;
/** Wait before the next attempt if the walls around documents don't hold, which only an administrator can change. */
const refused_ms = 600_000;
/** Messages listed per statement. */
const batch = 100;

/**
 * Reads the text of sent files in the background, one file at a time in each process, and indexes the messages that name them. Each file is
 * read once, by whichever instance claims it; a claim whose process has died is repeated.
 */
export class FileReading implements Work<TextJob, TextJob, void> {
  readonly name = 'file-texts';
  readonly table = jobTable;
  readonly lapsed = 'retry';
  readonly max_running = 1;
  readonly poll_ms = 10_000;
  readonly #parts: FileReadingParts;
  /** Time before which nothing is claimed, because no document can be read here. */
  #paused_until = 0;

  constructor(parts: FileReadingParts) {
    this.#parts = parts;
  }

  filter() {
    return performance.now() < this.#paused_until ? undefined : {};
  }

  load(rows: readonly TextJob[]): TextJob[] {
    return [...rows];
  }

  async perform(job: TextJob, { signal }: JobRun): Promise<void> {
    const { texts } = this.#parts;
    const found = await texts.find(job.id);
    // The file was removed by an instance of an earlier version.
    if (!found) return texts.remove(job.id);
    const text = found.text ?? (await this.#read(found.file, job, signal));
    if (text === undefined || !(await texts.store(job.id, text))) return;
    if (text !== '' && job.attempts <= max_attempts) await this.#indexMessages(job.id, signal);
    await texts.finish(job.id);
  }

  /** Returns the beginning of a file's text, empty if it has none; undefined if the job was postponed. */
  async #read(file: FileRow, job: TextJob, signal: AbortSignal): Promise<string | undefined> {
    const { files, documents } = this.#parts;
    if (!mayHaveText(file.mime_type) || job.attempts > max_attempts) return '';
    try {
      const text = await documents.of(files.document(file), { signal, max_characters: max_file_text });
      if (!('is_late' in text) || job.attempts >= max_attempts) return beginningOf(text);
      await this.#parts.texts.postpone(job, late_ms, { counts: true });
      return undefined;
    } catch (fault) {
      if (isFailure(fault) && fault.code === 'file_not_found') return '';
      await this.#postpone(job, fault, signal);
      return undefined;
    }
  }

  /** Postpones a job whose file is not the cause of the fault. Rethrows any other fault: then the claim lapses. */
  async #postpone(job: TextJob, fault: unknown, signal: AbortSignal): Promise<void> {
    const { texts, log } = this.#parts;
    const code = isFailure(fault) ? fault.code : undefined;
    if (code === 'documents_not_contained') {
      this.#paused_until = performance.now() + refused_ms;
      log.info('The text of files is not searchable until documents can be read here; see platform doctor', { err: fault });
      return texts.postpone(job, refused_ms);
    }
    if (signal.aborted || code === 'shutting_down') return texts.postpone(job, 0);
    if (code !== 'server_busy') throw fault;
    return texts.postpone(job, busy_ms);
  }

  /** Indexes the messages that name a file; later ones are indexed when they are sent. */
  async #indexMessages(file_id: string, signal: AbortSignal): Promise<void> {
    const { db, texts } = this.#parts;
    for (let last: string | undefined = ''; last !== undefined; ) {
      const ids: string[] = await texts.messagesOf(file_id, last, batch);
      for (const id of ids) {
        signal.throwIfAborted();
        await db.transaction(() => this.#index(id));
      }
      last = ids.at(-1);
    }
  }

  /** Indexes a message again. The lock on its session orders this and changes of the message. */
  async #index(message_id: string): Promise<void> {
    const { messages, sessions, membership } = this.#parts;
    const session_id = (await messages.find(message_id))?.message.session_id;
    if (session_id === undefined) return;
    await sessions.lock([session_id]);
    const stored = await messages.find(message_id);
    if (!stored || stored.message.deleted_at !== null) return;
    const room = await membership.of(session_id);
    const isInRoom = room.room_no !== 0;
    await messages.index([{ stored, readers: isInRoom ? room : { ids: await sessions.participants(session_id) } }]);
  }
}

function beginningOf(found: DocumentText | UnreadableDocument): string {
  if ('reason' in found) return '';
  let text = '';
  for (const page of found.pages) {
    text += text === '' ? page : `\n${page}`;
    if (text.length >= max_file_text) break;
  }
  return storable(text.slice(0, max_file_text));
}
