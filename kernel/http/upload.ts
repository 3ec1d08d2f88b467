import { rm } from 'node:fs/promises';
import { fail } from '../contract/failure.js';

/** The one file of a body, as a handler finds it under `file`. It is removed after the answer. */
export interface UploadedFile {
  /** As the client named it, if it did: for display only, never a path. */
  filename: string;
  /** Where its bytes are. */
  path: string;
  bytes: number;
}

/** What hapi makes of a body that is the file itself. */
export function readRaw(payload: unknown): Record<string, unknown> {
  const { path, bytes } = payload as UploadedFile;
  return { file: { filename: '', path, bytes } };
}

/** What hapi makes of a multipart body: its text fields, and files that it wrote to a folder. */
export function readUpload(payload: unknown): Record<string, unknown> {
  const fields = Object.entries((payload ?? {}) as object);
  const files = fields.filter(([, value]) => isFile(value));
  const input: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    if (!isFile(value) && name !== '__proto__') input[name] = value;
  }
  const file = files[0]?.[1];
  if (files.length !== 1 || Array.isArray(file)) throw fail('malformed_request', 'The body must contain exactly one file');
  const { filename, path, bytes } = file as UploadedFile;
  input.file = { filename, path, bytes };
  return input;
}

/** Removes the files of a body. */
export async function removeUpload(payload: unknown, multipart: boolean): Promise<void> {
  const values = multipart ? Object.values((payload ?? {}) as object).flat() : [payload];
  await Promise.all(values.filter(isFile).map((file) => rm((file as UploadedFile).path, { force: true })));
}

function isFile(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFile);
  return typeof value === 'object' && value !== null && 'path' in value && 'bytes' in value;
}

export function isMultipart({ mime }: { mime: string | undefined }): boolean {
  return mime === 'multipart/form-data';
}
