import { type Fields, isRecord, parseJson } from '../json.js';

/** Error of a model server, whatever the shape of its body. */
export interface ServerError {
  /** The server's message on one line; empty if it gave none. */
  message: string;
  code: string | undefined;
  type: string | undefined;
  /** HTTP error status that the body names. */
  status: number | undefined;
}

/** Fields that hold the message, in lower case: an object under `error` first, then the most specific text. */
const sentenceFields = [
  'message',
  'detail',
  'error_message',
  'errormessage',
  'error_msg',
  'msg',
  'status_msg',
  'errmsg',
  'err_msg',
  'faultstring',
  'httpmessage',
  'errors',
  'error_description',
  'description',
  'reason',
  'details',
  'error',
  'title',
];
const codeFields = ['code', 'error_code', 'errorcode', 'status'];
const typeFields = ['type', 'error_type', '__type', 'object'];
const statusFields = ['code', 'status', 'status_code', 'statuscode', 'error_code', 'raw_status_code'];
/** Fields that only error reports have, and fields whose value distinguishes success from error. */
const reportFields = ['error', 'errors', 'detail', 'error_code', 'error_msg', 'error_message', 'faultstring'];
const outcomeFields = ['code', 'status_code', 'errcode', 'err_code'];
const successes = new Set<unknown>([undefined, null, '', 0, '0', 200, '200']);
const max_depth = 6;
const max_items = 5;
const max_length = 2_000;

/** Reads the body of a refused request: JSON of any shape, a web page, or plain text. */
export function readErrorBody(text: string): ServerError {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const value = parse(trimmed);
  return value === undefined ? { ...nothing, message: plain(trimmed) } : readError(value);
}

/** Reads an error in JSON, also from inside an answer that began well. */
export function readError(value: unknown): ServerError {
  const outer = recordIn(value);
  const inner = recordIn(outer.error ?? outer.message ?? outer.errors ?? Object.values(outer).find(isRecord));
  const deeper = recordIn(inner.error);
  return {
    message: sentenceIn(value, 0).replace(/\s+/g, ' ').trim().slice(0, max_length),
    code: textOf(deeper, codeFields) ?? textOf(inner, codeFields) ?? textOf(outer, codeFields),
    type: textOf(inner, typeFields) ?? textOf(outer, typeFields),
    status: statusOf(inner) ?? statusOf(outer),
  };
}

/** Returns whether a JSON answer without choices reports an error, possibly within a server-specific object. */
export function isErrorReport(value: Fields): boolean {
  return [value, ...Object.values(value).filter(isRecord)].map(lowered).some(isReport);
}

function isReport(fields: Fields): boolean {
  if (fields.object === 'error' || fields.success === false || reportFields.some((name) => fields[name])) return true;
  const hasSentence = sentenceFields.some((name) => typeof fields[name] === 'string' && fields[name] !== '');
  return hasSentence && !outcomeFields.every((name) => successes.has(fields[name]));
}

const nothing: ServerError = { message: '', code: undefined, type: undefined, status: undefined };

function sentenceIn(value: unknown, depth: number): string {
  if (depth > max_depth) return '';
  if (typeof value === 'string') return sentenceOfText(value, depth);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) {
    const sentences = value.slice(0, max_items).map((item) => sentenceIn(item, depth + 1));
    return sentences.filter((sentence) => sentence !== '').join('; ');
  }
  return typeof value === 'object' && value !== null ? sentenceOfObject(lowered(value as Fields), depth) : '';
}

/** Reads a text that may hold JSON: some gateways pass on the upstream error as a string. */
function sentenceOfText(text: string, depth: number): string {
  const value = /^\s*[[{"]/.test(text) ? parse(text) : undefined;
  return (value === undefined ? undefined : sentenceIn(value, depth + 1)) || plain(text);
}

function sentenceOfObject(fields: Fields, depth: number): string {
  if (typeof fields.error === 'object' && fields.error !== null) {
    const sentence = sentenceIn(fields.error, depth + 1);
    if (sentence !== '') return sentence;
  }
  for (const field of sentenceFields) {
    const sentence = sentenceIn(fields[field], depth + 1);
    if (sentence !== '') return [place(fields), sentence, upstream(fields, depth)].filter(Boolean).join(' ');
  }
  // Some servers wrap the error in an object of their own.
  const inner = Object.values(fields).filter(isRecord).slice(0, max_items);
  return inner.map((value) => sentenceIn(value, depth + 1)).find((sentence) => sentence !== '') ?? '';
}

/** Returns the field a validation error is about: FastAPI's `loc`. */
function place({ loc }: Fields): string {
  return Array.isArray(loc) ? `${loc.join('.')}:` : '';
}

/** Returns the message of the provider behind a gateway, next to the gateway's own. */
function upstream({ metadata }: Fields, depth: number): string {
  const raw = sentenceIn(recordIn(metadata).raw, depth + 1);
  return raw === '' ? '' : `(${raw})`;
}

/** Returns a text as it is, or the visible text of a web page. */
function plain(text: string): string {
  if (!/^\s*<(!|\?|[a-z])/i.test(text)) return text;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim();
  const body = text.replace(/<(script|style)\b[\s\S]*?(<\/\1>|$)/gi, ' ').replace(/<[^>]*>/g, ' ');
  return title || body.replace(/\s+/g, ' ').trim();
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  const found = names.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  return found as string | undefined;
}

function statusOf(fields: Fields): number | undefined {
  return statusFields.map((name) => Number(fields[name])).find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

function recordIn(value: unknown): Fields {
  const found: unknown = Array.isArray(value) ? value[0] : value;
  return isRecord(found) ? lowered(found) : {};
}

function lowered(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field]));
}

function parse(text: string): unknown {
  return parseJson(text) ?? undefined;
}
