import type { SocketFrame } from '../kernel/client/socket.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { StreamWrap } from './stream-wrap.js';
import { cell, cut } from './table.js';
import { harmless } from './terminal.js';

/** A frame as a line for people: when, what, and in a few words of whom. */
export function frameLine({ ts, type, data }: SocketFrame, columns: number): string {
  const time = new Date(ts).toLocaleTimeString('en-GB');
  return cut(`${time}  ${cell(type).padEnd(20)} ${words(data)}`.trimEnd(), columns);
}

/** Pieces of what comes whole later, and the beginnings of that. */
const pieces = /\.delta$|^tool\.output$|^message\.started$|^snapshot$/;

/** An event of a stream in lines for people; a message with all that it says. */
export function eventLines({ type, data }: Pick<StreamEvent, 'type' | 'data'>, columns: number): string[] {
  if (pieces.test(type)) return [];
  const { message } = data as { message?: unknown };
  if (isRecord(message) && typeof message.content === 'string') return spoken(message, columns);
  return [cut(`${cell(type).padEnd(18)} ${words(data as Readonly<Record<string, unknown>>)}`.trimEnd(), columns)];
}

/** Breaks what a message says between words; its code stays as it is. */
function spoken({ sender_name, content, status }: Readonly<Record<string, unknown>>, columns: number): string[] {
  const how = status === 'completed' || status === undefined ? '' : ` (${cell(status)})`;
  const wrap = new StreamWrap(columns);
  return (wrap.take(`${cell(sender_name)}${how}: ${harmless(String(content))}`) + wrap.end()).split('\n');
}

/** The record that a frame is about says more than the ids around it. */
function words(data: Readonly<Record<string, unknown>>): string {
  const [name = '', record] = Object.entries(data).find(([, value]) => isRecord(value)) ?? [];
  if (isRecord(record)) return [cell(name), ...scalars(record, telling)].join(' ');
  return scalars(data, Object.keys(data)).join(' ');
}

/** What a record is told by, where it has them. */
const telling = ['name', 'title', 'sender_name', 'status', 'reason', 'action', 'content'];

function scalars(record: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys
    .filter((key) => record[key] !== null && record[key] !== undefined && record[key] !== '' && typeof record[key] !== 'object')
    .map((key) => `${cell(key)}=${cell(record[key])}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
