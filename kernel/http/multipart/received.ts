import { fail } from '../../contract/failure.js';
import { UploadFile } from '../upload-file.js';
import type { PartHead } from './head.js';
import type { PartEvents } from './parser.js';

/** A file of a body, as its sender calls it and its part. */
interface NamedFile {
  name: string;
  filename: string;
  written: UploadFile;
}

/** The fields of a multipart body, in memory, and its one file, in a folder. */
export class ReceivedParts implements PartEvents {
  readonly #folder: string;
  readonly #fields: Record<string, unknown> = {};
  #file: NamedFile | undefined;
  #field: { name: string; pieces: Buffer[] } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get file(): NamedFile | undefined {
    return this.#file;
  }

  /** @throws `malformed_request` at a second file */
  part({ name, filename }: PartHead): void {
    if (filename === undefined) this.#field = { name, pieces: [] };
    else if (this.#file) throw notOneFile();
    else this.#file = { name, filename, written: new UploadFile(this.#folder) };
  }

  bytes(piece: Buffer): void {
    // A copy: the piece would hold on to all that it came with.
    if (this.#field) this.#field.pieces.push(Buffer.from(piece));
    else this.#file?.written.add(piece);
  }

  end(): void {
    if (!this.#field) return;
    const { name, pieces } = this.#field;
    this.#field = undefined;
    const value = Buffer.concat(pieces).toString();
    const before = this.#fields[name];
    if (!Object.hasOwn(this.#fields, name)) this.#fields[name] = value;
    else this.#fields[name] = Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
  }

  /** @throws `malformed_request` where there is not one file, or it has the name of a field */
  input(): Record<string, unknown> {
    if (!this.#file || Object.hasOwn(this.#fields, this.#file.name)) throw notOneFile();
    const { filename, written } = this.#file;
    return { ...this.#fields, file: { filename, path: written.path, bytes: written.bytes } };
  }
}

function notOneFile() {
  return fail('malformed_request', 'The body must contain exactly one file');
}
