import type { SocketFrame } from '../kernel/client/socket.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { StreamWrap } from './stream-wrap.js';
import { cell, cut } from './table.js';
import { harmless } from './terminal.js';

/** Formats a frame as a line for people: time, type, and the main fields of its record. */
export function frameLine({ ts, type, data }: SocketFrame, columns: number): string {
  const time = new Date(ts).toLocaleTimeString('en-GB');
  return cut(`${time}  ${cell(type).padEnd(20)} ${words(data)}`.trimEnd(), columns);
}

/** Types of partial events: a complete one follows. */
const partialTypes = /\.delta$|^tool\.output$|^message\.started$|^snapshot$/;

/** Formats a stream event as lines for people; a message with its full content. */
export function eventLines({ type, data }: Pick<StreamEvent, 'type' | 'data'>, columns: number): string[] {
  if (partialTypes.test(type)) return [];
  const { message } = data as { message?: unknown };
  if (isRecord(message) && typeof message.content === 'string') return messageLines(message, columns);
  return [cut(`${cell(type).padEnd(18)} ${words(data as Readonly<Record<string, unknown>>)}`.trimEnd(), columns)];
}

/** Wraps a message between words; fenced code stays as it is. */
function messageLines({ sender_name, content, status }: Readonly<Record<string, unknown>>, columns: number): string[] {
  const suffix = status === 'completed' || status === undefined ? '' : ` (${cell(status)})`;
  const wrap = new StreamWrap(columns);
  return (wrap.take(`${cell(sender_name)}${suffix}: ${harmless(String(content))}`) + wrap.end()).split('\n');
}

/** Formats the fields of a frame; a nested record says more than the ids around it. */
function words(data: Readonly<Record<string, unknown>>): string {
  const [name = '', record] = Object.entries(data).find(([, value]) => isRecord(value)) ?? [];
  if (isRecord(record)) return [cell(name), ...scalars(record, mainFields)].join(' ');
  return scalars(data, Object.keys(data)).join(' ');
}

/** Fields that describe a record, in this order. */
const mainFields = ['name', 'title', 'sender_name', 'status', 'reason', 'action', 'content'];

function scalars(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys
    .filter((key) => record[key] !== null && record[key] !== undefined && record[key] !== '' && typeof record[key] !== 'object')
    .map((key) => `${cell(key)}=${cell(record[key])}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
