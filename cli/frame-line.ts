import type { SocketFrame } from '../kernel/client/socket-frame.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { cell, cut } from './table.js';

/** Formats a frame as a line for people: time, type, and the main fields of its record. */
export function frameLine({ ts, type, data }: SocketFrame, columns: number): string {
  const time = new Date(ts).toLocaleTimeString('en-GB');
  return cut(`${time}  ${cell(type).padEnd(20)} ${words(data)}`.trimEnd(), columns);
}

/** Types of partial events: a complete one follows. */
const partialTypes = /\.delta$|^tool\.output$|^message\.started$|^snapshot$/;

export interface EventStyle {
  columns: number;
  color: boolean;
}

/** Formats a stream event as lines for people; a message with its full content, which is Markdown. */
export async function eventLines({ type, data }: Pick<StreamEvent, 'type' | 'data'>, style: EventStyle): Promise<string[]> {
  if (partialTypes.test(type)) return [];
  const { message } = data as { message?: unknown };
  if (isRecord(message) && typeof message.content === 'string') return messageLines({ ...message, content: message.content }, style);
  return [cut(`${cell(type).padEnd(18)} ${words(data as Readonly<Record<string, unknown>>)}`.trimEnd(), style.columns)];
}

interface Message {
  sender_name?: unknown;
  status?: unknown;
  content: string;
}

async function messageLines({ sender_name, content, status }: Message, { columns, color }: EventStyle): Promise<string[]> {
  const { renderMarkdown } = await import('../tui/markdown/render.js');
  const suffix = status === 'completed' || status === undefined ? '' : ` (${cell(status)})`;
  return [`${cell(sender_name)}${suffix}:`, ...renderMarkdown(content, { width: columns, color })];
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
