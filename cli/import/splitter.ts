import type { Remarks } from './remarks.js';
import { partsOf } from './text.js';
import type { ExportedMessage } from './types.js';

/** Limits of a message, with room for lines that name missing files. */
const max_length = 32_000;
const max_files = 10;
const note_length = 400;

/** Splits messages that are longer than the platform's, or have more files. The parts follow each other. */
export class MessageSplitter {
  readonly #remarks: Remarks;

  constructor(remarks: Remarks) {
    this.#remarks = remarks;
  }

  parts(message: ExportedMessage): ExportedMessage[] {
    const { text, files, id } = message;
    const texts = partsOf(text, max_length - note_length * Math.min(files.length, max_files));
    const count = Math.max(1, texts.length, Math.ceil(files.length / max_files));
    if (count === 1) return [{ ...message, text: texts[0] ?? '' }];
    this.#remarks.add('messages were too long or had too many files and were split', text.slice(0, 60));
    return Array.from({ length: count }, (_, at) => ({
      ...message,
      id: at === 0 ? id : `${id}#${at + 1}`,
      text: texts[at] ?? '',
      reactions: at === 0 ? message.reactions : [],
      files: files.slice(at * max_files, (at + 1) * max_files),
    }));
  }
}
