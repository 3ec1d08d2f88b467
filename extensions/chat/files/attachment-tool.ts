import {
  type DocumentTexts,
  hasScope,
  type Tool,
  type ToolContext,
  type ToolProvider,
  type ToolResult,
  type ToolUse,
} from '../../../kernel/contract/index.js';
import { fail, invalidInput } from '../codes.js';
import type { FileRow } from '../models.js';
import type { FileRows } from '../store/files-sql.js';
import { type PageChoice, pageOf } from './attachment-page.js';
import type { Files } from './files.js';

interface AttachmentToolParts {
  rows: Pick<FileRows, 'visible'>;
  files: Pick<Files, 'document'>;
  texts: DocumentTexts;
}

interface Wanted extends PageChoice {
  file_id: string;
}

const name = 'read_file_attachment';
/** Limit of a call: a file waits for others, and is then read within a minute. */
const timeout_ms = 300_000;
const max_id_length = 64;

const input = {
  type: 'object',
  properties: {
    file_id: { type: 'string', description: 'Id of the file, as the message names it' },
    page: { type: 'integer', minimum: 1, description: 'Page to read. Default: the first, with the outline' },
    part: { type: 'integer', minimum: 1, description: 'Part of a page that is too long for one answer. Default: the first' },
  },
  required: ['file_id'],
  additionalProperties: false,
};

/** Lets an AI employee read files of messages, a page at a time: all that its asker sees, but in a room only the room's. */
export class AttachmentTool implements ToolProvider {
  readonly name = 'the files of messages';
  readonly #parts: AttachmentToolParts;

  constructor(parts: AttachmentToolParts) {
    this.#parts = parts;
  }

  brings(tool: string): boolean {
    return tool === name;
  }

  tools({ asker }: Pick<ToolContext, 'asker'>): Tool[] {
    if (!hasScope(asker.scopes, 'read')) return [];
    const description =
      'Reads a file that was sent with a message (PDF, DOCX, XLSX, PPTX, HTML, Markdown, CSV, plain text), one page at a time. ' +
      'The first page comes with an outline and the number of pages. Quote page numbers in your answer.';
    const call = (given: object, use: ToolUse) => this.#read(wantedIn(given), use);
    return [{ name, title: name, description, input, effect: 'read', audience: 'caller', within_room: true, timeout_ms, call }];
  }

  async #read({ file_id, ...choice }: Wanted, use: ToolUse): Promise<ToolResult> {
    const { files, texts } = this.#parts;
    const { signal, asker } = use;
    const file = await this.#find(file_id, use);
    const text = await texts.of(files.document(file), { signal, member_id: asker.member_id });
    // Checks again: meanwhile the member may have left, or the file may have been removed.
    await this.#find(file_id, use);
    if ('reason' in text) return { output: '', error: `The file ${JSON.stringify(file.name)} has no text to read. ${text.reason}` };
    return { output: JSON.stringify(pageOf(file.name, text, choice)) };
  }

  async #find(file_id: string, { asker: { member_id, room } }: Pick<ToolUse, 'asker'>): Promise<FileRow> {
    const file = await this.#parts.rows.visible(file_id, member_id, room?.session_id);
    if (!file) throw fail('file_not_found', `There is no file ${file_id} ${room ? 'in this room' : 'that you can see'}`);
    return file;
  }
}

/** Checks the input of a call. Fails with `invalid_input`. */
function wantedIn(given: object): Wanted {
  const { file_id, page = 1, part = 1 } = given as Readonly<Record<string, unknown>>;
  if (typeof file_id !== 'string' || file_id === '' || file_id.length > max_id_length)
    throw invalidInput('file_id', `"file_id" must be a text of 1 to ${max_id_length} characters`);
  return { file_id, page: ordinalOf('page', page), part: ordinalOf('part', part) };
}

function ordinalOf(key: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw invalidInput(key, `"${key}" must be a whole number from 1`);
}
