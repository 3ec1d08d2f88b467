import type { SocketFrame } from '../kernel/client/socket.js';
import { cell, cut } from './table.js';

/** A frame as a line for people: when, what, and in a few words of whom. */
export function frameLine({ ts, type, data }: SocketFrame, columns: number): string {
  const time = new Date(ts).toLocaleTimeString('en-GB');
  return cut(`${time}  ${cell(type).padEnd(20)} ${words(data)}`.trimEnd(), columns);
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
