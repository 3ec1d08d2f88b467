import { type Fields, isRecord } from '../json.js';
import type { Prompt } from '../model/prompt.js';
import { inlineBytes } from './inline-bytes.js';
import { invalid } from './invalid.js';

/** A file that a client sends inline, or names by its id on the platform. */
export interface AskedFile {
  /** Path of its part in the request. */
  path: string;
  content: { name: string; mime_type: string; bytes: Buffer } | { file_id: string };
}

/** A message of a request. */
export interface AskedPrompt extends Prompt {
  /** Texts and files of a user's message in their order; undefined if it has no files. With pieces, `content` is empty. */
  pieces?: readonly (string | AskedFile)[];
}

const fileId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const max_name_length = 200;
/** Characters that are invisible, or reorder a text. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Returns whether a part of a message is a file, also in the form of OpenAI's newer API, which clients of both send to each. */
export function isFilePart(part: unknown): part is Fields {
  return isRecord(part) && (part.type === 'file' || part.type === 'input_file');
}

/** Reads `{type: 'file', file: {file_data, filename}}` or `{type: 'file', file: {file_id}}`. Fails with `invalid_input`. */
export function readFilePart(part: Fields, at: string): AskedFile {
  const path = part.type === 'file' ? `${at}.file` : at;
  const file = part.type === 'file' ? part.file : part;
  if (!isRecord(file)) throw invalid(path, 'expected an object with file_data and filename, or with file_id');
  const { file_data, file_id, filename } = file;
  if (typeof file_data === 'string') return { path, content: readInline(file_data, filename, path) };
  if (typeof file_id === 'string' && fileId.test(file_id)) return { path, content: { file_id: file_id.toLowerCase() } };
  if (file_id != null) throw invalid(`${path}.file_id`, 'expected the id of a file on the platform that you can see');
  throw invalid(path, 'expected file_data, a data URL in base64 (data:application/pdf;base64,…), or file_id; addresses are not fetched');
}

function readInline(data: string, filename: unknown, path: string) {
  const file = inlineBytes(data);
  if (!file) throw invalid(`${path}.file_data`, 'expected a data URL in base64 (data:application/pdf;base64,…)');
  const name = typeof filename === 'string' ? filename.replace(invisible, '').slice(-max_name_length) : '';
  return { ...file, name: name || 'document' };
}
