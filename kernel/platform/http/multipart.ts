import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { type Failure, fail } from '../../contract/failure.js';
import { UploadFile } from './upload-file.js';

const max_parts = 50;
/** Of a field, which is kept in memory. */
const max_field_bytes = 64 * 1024;
/** The header lines of one part. */
const max_head_bytes = 16 * 1024;
/** In characters; no file system has longer ones. */
const max_filename = 255;
/** How a part may travel: as it is. Other encodings are not to be used (RFC 7578, 4.7). */
const asItIs = /^(?:7bit|8bit|binary)$/i;

interface NamedFile {
  /** As its part is called. */
  name: string;
  /** As its sender calls it. */
  filename: string;
  to: UploadFile;
  written: Promise<void>;
}

/**
 * Takes multipart/form-data (RFC 7578) apart: its fields, and its one file, which is written to a folder as it comes and counted for its
 * sender (`multipart.test`, `upload.test`, `bodies.test`), which hapi's parser of it does not do.
 */
export class Multipart {
  readonly #parser: BusboyInstance;
  readonly #folder: string;
  readonly #fields: Record<string, unknown> = {};
  #file: NamedFile | undefined;

  private constructor(parser: BusboyInstance, folder: string) {
    this.#parser = parser;
    this.#folder = folder;
    parser.on('field', (name, value, ...[, isCut, encoding]) => this.#field(name, value, { isCut, encoding }));
    parser.on('file', (name, bytes, filename, encoding) => this.#begin({ name, filename, encoding }, bytes));
    parser.on('partsLimit', () => this.#refuse(malformed(`it has more than ${max_parts} parts`)));
    parser.on('filesLimit', () => this.#refuse(notOneFile()));
  }

  /**
   * @param content_type - the header of the whole body
   * @throws `malformed_request` where the header names no boundary
   */
  static async begin(content_type: string, folder: string): Promise<Multipart> {
    const { Busboy } = await import('@fastify/busboy');
    const limits = { fieldSize: max_field_bytes, files: 1, parts: max_parts, headerSize: max_head_bytes };
    const isPartAFile = (_name?: string, _type?: string, filename?: string) => filename !== undefined;
    try {
      return new Multipart(new Busboy({ headers: { 'content-type': content_type }, limits, isPartAFile, preservePath: true }), folder);
    } catch {
      throw malformed('its Content-Type names no boundary');
    }
  }

  /** Where the body goes. Fails with what is wrong with it, or with what the file could not be written for. */
  get sink(): Writable {
    return this.#parser;
  }

  /** Resolves when the file is written. */
  async written(): Promise<void> {
    await this.#file?.written;
  }

  /** @throws `malformed_request` where there is not one file, or it has the name of a field */
  input(): Record<string, unknown> {
    if (!this.#file || Object.hasOwn(this.#fields, this.#file.name)) throw notOneFile();
    const { filename, to } = this.#file;
    return { ...this.#fields, file: { filename, path: to.path, bytes: to.bytes } };
  }

  async remove(): Promise<void> {
    await this.#file?.to.remove();
  }

  #field(name: string, value: string, { isCut, encoding }: { isCut: boolean; encoding: string }): void {
    if (isCut) this.#refuse(tooLong(name.slice(0, 100)));
    if (!this.#admits(name, encoding)) return;
    const before = this.#fields[name];
    if (!Object.hasOwn(this.#fields, name)) this.#fields[name] = value;
    else this.#fields[name] = Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
  }

  #begin({ name, filename, encoding }: { name: string; filename: string; encoding: string }, bytes: BusboyFileStream): void {
    // What is refused is told by the parser, and the rest of it read to nobody.
    bytes.on('error', () => undefined);
    if (filename.length > max_filename) this.#refuse(malformed(`the name of a file has more than ${max_filename} characters`));
    if (!this.#admits(name, encoding)) return void bytes.resume();
    const to = new UploadFile(this.#folder);
    const written = pipeline(bytes, to.out);
    written.catch((fault: Error) => this.#refuse(fault));
    this.#file = { name, filename, to, written };
  }

  #admits(name: string | undefined, encoding: string): boolean {
    if (name === undefined || name === '' || name === '__proto__') this.#refuse(malformed('a part has no name'));
    else if (!asItIs.test(encoding)) this.#refuse(malformed('a part is encoded in a way that is not understood'));
    return !this.#parser.destroyed;
  }

  #refuse(fault: Error): void {
    this.#parser.destroy(fault);
  }
}

/** The failure of a body that is not what its headers say. */
export function malformed(what: string): Failure {
  return fail('malformed_request', `The body is not what its headers say: ${what}`);
}

/** In the words of an input that its schema refuses. */
function tooLong(path: string): Failure {
  const message = `"${path}" must not have more than ${max_field_bytes} bytes`;
  return fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path, message }] });
}

function notOneFile(): Failure {
  return fail('malformed_request', 'The body must contain exactly one file');
}
