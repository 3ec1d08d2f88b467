import type { FileTexts } from '../store/file-texts-sql.js';
import { type Searched, searchedText } from '../text.js';

/** The texts that searches look at. */
export class MessageTexts {
  readonly #files: Pick<FileTexts, 'of'>;

  constructor(files: Pick<FileTexts, 'of'>) {
    this.#files = files;
  }

  /** Returns the searched text of each message. Reads the texts of all their files at once, and nothing if there are none. */
  async of(messages: readonly Searched[]): Promise<string[]> {
    const ids = messages.flatMap(({ files }) => files.map(({ id }) => id));
    const texts = ids.length === 0 ? undefined : await this.#files.of([...new Set(ids)]);
    return messages.map((message) => searchedText(message, texts));
  }
}
