import { once } from 'node:events';
import { Failure } from '../kernel/contract/failure.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { UsageError } from './exit.js';
import type { Leaf } from './flags.js';
import { eventLines } from './frame-line.js';
import type { MarkdownStyle } from './markdown-answer.js';
import { record } from './record.js';
import { remark } from './remark.js';
import { cell, isRecords, keyed, type Row, tabbed, table, valueAt } from './table.js';
import { coloured, harmless, harmlessJson, type Terminal } from './terminal.js';

export interface OutputStyle {
  /** Fields shown of a record. Default: all that are not objects. */
  columns?: readonly string[] | undefined;
  /** Writes JSON; a string selects the fields of each record, separated by commas. */
  json?: boolean | string | undefined;
  /** All fields that a record may have, if they are known: `--json` was compared with them before the call. */
  fields?: readonly string[] | undefined;
}

/** Writes a response: a table on a terminal, tab-separated values in a pipe, JSON if requested. */
export function print(answer: unknown, style: OutputStyle, terminal: Terminal): void {
  const { stdout } = terminal;
  if (style.json !== undefined && style.json !== false) {
    stdout.write(`${harmlessJson(JSON.stringify(pick(answer, style), undefined, 2) ?? 'null')}\n`);
    return;
  }
  if (answer === undefined || answer === null) return;
  if (typeof answer !== 'object') stdout.write(`${harmless(String(answer))}\n`);
  else stdout.write(readable(answer, style, terminal));
  const { unavailable } = (answer ?? {}) as { unavailable?: unknown };
  if (Array.isArray(unavailable) && unavailable.length > 0) remark(`unavailable: ${cell(unavailable)}`, terminal);
}

/** Writes a response, whose text is formatted on a terminal if it is Markdown. */
export async function printFormatted(
  answer: unknown,
  style: OutputStyle & Pick<Partial<MarkdownStyle>, 'named'> & { markdown?: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const { markdown: key, columns = [], named, json = false } = style;
  const rows = typeof answer === 'object' && answer !== null ? (rowsOf(answer) ?? [answer as Row]) : [];
  if (key === undefined || json !== false || !terminal.stdout.isTTY || rows.length === 0) return print(answer, style, terminal);
  const { markdownAnswer } = await import('./markdown-answer.js');
  terminal.stdout.write(await markdownAnswer(rows, { key, columns, named }, terminal));
}

/** Waits until a slow reader has drained the output, so that the buffer stays small. */
export async function waitForDrain(stdout: Terminal['stdout'], signal: AbortSignal): Promise<void> {
  if (stdout.writableNeedDrain !== true) return;
  // OutputWatch reports a failed write.
  await once(stdout, 'drain', { signal }).catch(() => undefined);
}

/** Writes one event of a stream: lines for people on a terminal unless JSON is requested, otherwise a line of JSON. */
export async function showEvent(event: StreamEvent, { json }: OutputStyle, terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  if (json !== undefined || stdout.isTTY !== true) {
    printEvent(event, terminal);
    return;
  }
  const lines = await eventLines(event, { columns: stdout.columns || 80, color: coloured(terminal) });
  for (const line of lines) stdout.write(`${line}\n`);
}

/** Writes one event of a stream as a line of JSON. */
function printEvent(event: { id?: string; type: string; data: object }, { stdout }: Terminal): void {
  const { id, type, data } = event;
  stdout.write(`${harmlessJson(JSON.stringify({ ...(id === undefined ? {} : { id }), type, ...data }))}\n`);
}

function readable(answer: object, style: OutputStyle, terminal: Terminal): string {
  const { stdout } = terminal;
  const rows = rowsOf(answer);
  const columns = columnsOf(rows ?? [answer as Row], style.columns);
  // A record is shown with its nested objects.
  if (rows === undefined && stdout.isTTY) return record(answer as Row, style.columns ?? Object.keys(answer), stdout.columns || 80);
  if (rows === undefined) return piped(answer as Row, columns);
  if (!stdout.isTTY) return tabbed(rows, columns);
  if (rows.length === 0) return 'Nothing found.\n';
  return table(rows, columns, { width: stdout.columns || 80, bold: coloured(terminal) }) + remainder(answer, rows.length);
}

/** Formats a record as one line of values; if it has lists of records, a line for each value and each of their records. */
function piped(row: Row, columns: readonly string[]): string {
  return columns.some((column) => isRecords(valueAt(row, column))) ? keyed(row, columns) : tabbed([row], columns);
}

/** Returns the records of a list, whether bare or in a page; undefined for a single record. */
function rowsOf(answer: object): readonly Row[] | undefined {
  if (Array.isArray(answer)) return answer.map(asRow);
  const { items } = answer as { items?: unknown };
  if ('total' in answer && Array.isArray(items)) return items.map(asRow);
  const lists = Object.values(answer).filter((value) => Array.isArray(value));
  return 'total' in answer && lists.length === 1 ? (lists[0] as unknown[]).map(asRow) : undefined;
}

function asRow(value: unknown): Row {
  return typeof value === 'object' && value !== null ? (value as Row) : { value };
}

function remainder(answer: object, shown: number): string {
  const { total } = answer as { total?: unknown };
  return typeof total === 'number' && total > shown ? `${shown} of ${total}\n` : '';
}

function columnsOf(rows: readonly Row[], wanted: readonly string[] | undefined): readonly string[] {
  if (wanted !== undefined) return wanted;
  const keys = new Set(rows.flatMap((row) => Object.keys(row).filter((key) => typeof row[key] !== 'object' || row[key] === null)));
  return keys.size > 0 ? [...keys] : [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** Returns all fields that a record of an answer may have; undefined if its schema leaves them open. */
export function fieldsOf(answer: JsonSchema | undefined): readonly string[] | undefined {
  const { type, properties, items, additionalProperties } = answer ?? {};
  if (type === 'array') return fieldsOf(items);
  if (type !== 'object' || properties === undefined || additionalProperties !== undefined) return undefined;
  const lists = Object.values(properties).filter((property) => property.type === 'array');
  const list = properties.items?.type === 'array' ? properties.items : lists[0];
  const isPage = 'total' in properties && (list === properties.items || lists.length === 1);
  return isPage && list !== undefined ? fieldsOf(list) : Object.keys(properties);
}

/** Fails if `--json` selects a field that is not among the known ones. Called before the work, so that nothing is half done. */
export function assertFields(json: boolean | string | undefined, fields: readonly string[] | undefined): void {
  if (typeof json !== 'string') return;
  if (/^\s*[[{]/.test(json))
    throw new UsageError(
      '--json selects fields of the response; it takes no input',
      'pass the input in flags, or as JSON with: platform call',
    );
  if (fields !== undefined) assertAmong(selected(json), fields);
}

function selected(json: string): string[] {
  return json.split(',').map((field) => field.trim());
}

function pick(answer: unknown, { json, fields: known }: OutputStyle): unknown {
  if (typeof json !== 'string' || typeof answer !== 'object' || answer === null) return answer;
  const fields = selected(json);
  if (known === undefined) assertKnown(fields, rowsOf(answer) ?? [answer as Row]);
  const pickOne = (row: Row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
  return rowsOf(answer)?.map(pickOne) ?? pickOne(answer as Row);
}

/** Fails on a field that no record has: it is a typing error. */
function assertKnown(fields: readonly string[], rows: readonly Row[]): void {
  if (rows.length > 0) assertAmong(fields, [...new Set(rows.flatMap((row) => Object.keys(row)))]);
}

function assertAmong(fields: readonly string[], known: readonly string[]): void {
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) throw new UsageError(`There is no field '${unknown}'`, `there are: ${known.join(', ')}`);
}

/** Fails if the response says that the work did not succeed, although the call did. */
export function assertSucceeded({ hint, id }: Pick<Leaf, 'hint' | 'id'>, body: unknown): void {
  const key = hint?.success;
  const answer = body as Record<string, unknown> | null | undefined;
  if (key === undefined || answer?.[key] !== false) return;
  const reason = typeof answer.error === 'string' && answer.error !== '' ? answer.error : `the response of ${id} has ${key}: false`;
  throw new Failure('not_accepted', reason, { status: 502 });
}
