import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy';
import { type Failure, fail } from '../../contract/failure.js';
import { UploadFile } from './upload-file.js';

const max_parts = 50;
/** Limit of a field, which is held in memory. */
const max_field_bytes = 64 * 1024;
/** Limit of the header lines of one part. */
const max_head_bytes = 16 * 1024;
/** Limit of a file name in characters; no file system has longer ones. */
const max_filename = 255;
/** Line breaks and quotation marks of a file name, as browsers write them (HTML, "escape a multipart/form-data name"). `%` itself stays. */
const encoded = /%(?:0A|0D|22)/g;
/** Transfer encodings that leave a part unchanged. Others are deprecated (RFC 7578, 4.7). */
const identityEncoding = /^(?:7bit|8bit|binary)$/i;

interface NamedFile {
  /** Name of its part. */
  name: string;
  /** File name from the sender. */
  filename: string;
  to: UploadFile;
  written: Promise<void>;
}

/**
 * Parses multipart/form-data (RFC 7578) into fields and one file, which is streamed to a folder and counted for its
 * sender (`multipart.test`, `upload.test`, `bodies.test`). hapi's parser does not do that.
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
   * @throws `malformed_request` if the header has no boundary
   */
  static async begin(content_type: string, folder: string): Promise<Multipart> {
    const { Busboy } = await import('@fastify/busboy');
    const limits = { fieldSize: max_field_bytes, files: 1, parts: max_parts, headerSize: max_head_bytes };
    const isPartAFile = (_name?: string, _type?: string, filename?: string) => filename !== undefined;
    try {
      return new Multipart(new Busboy({ headers: { 'content-type': content_type }, limits, isPartAFile, preservePath: true }), folder);
    } catch {
      throw malformed('its Content-Type has no boundary');
    }
  }

  /** Destination of the body. Fails with a fault of the body or of writing the file. */
  get sink(): Writable {
    return this.#parser;
  }

  /** Resolves when the file is written. */
  async written(): Promise<void> {
    await this.#file?.written;
  }

  /** Returns the input. @throws `malformed_request` if there is not exactly one file, or if it has the name of a field */
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

  #begin({ name, filename: sent, encoding }: { name: string; filename: string; encoding: string }, bytes: BusboyFileStream): void {
    // The parser reports rejected parts; their remaining bytes are discarded.
    bytes.on('error', () => undefined);
    const filename = sent.replace(encoded, (code) => decodeURIComponent(code));
    if (filename.length > max_filename) this.#refuse(malformed(`the name of a file has more than ${max_filename} characters`));
    if (!this.#admits(name, encoding)) return void bytes.resume();
    const to = new UploadFile(this.#folder);
    const written = pipeline(bytes, to.out);
    written.catch((fault: Error) => this.#refuse(fault));
    this.#file = { name, filename, to, written };
  }

  #admits(name: string | undefined, encoding: string): boolean {
    if (name === undefined || name === '' || name === '__proto__') this.#refuse(malformed('a part has no name'));
    else if (!identityEncoding.test(encoding)) this.#refuse(malformed('a part has an unsupported Content-Transfer-Encoding'));
    return !this.#parser.destroyed;
  }

  #refuse(fault: Error): void {
    this.#parser.destroy(fault);
  }
}

/** Returns the failure of a body that contradicts its headers. */
export function malformed(reason: string): Failure {
  return fail('malformed_request', `The body does not match its headers: ${reason}`);
}

/** Returns the failure of a field that is too long, worded like a schema fault. */
function tooLong(path: string): Failure {
  const message = `"${path}" must not have more than ${max_field_bytes} bytes`;
  return fail('invalid_input', `The input is not valid: ${message}`, { details: [{ path, message }] });
}

function notOneFile(): Failure {
  return fail('malformed_request', 'The body must contain exactly one file');
}
