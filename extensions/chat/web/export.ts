import type { Message, Session } from '../contract.js';
import { api } from './api.js';

export type ExportFormat = 'markdown' | 'json';

const page = 200;

/**
 * Returns a whole conversation as a file. The server makes it; one that is too large for that is read here, page by page. `progress` gets the
 * number of messages so far.
 */
export async function exportSession(session_id: string, format: ExportFormat, options: Exporting): Promise<Blob> {
  if (!api.can('sessions.export')) return readAll(session_id, format, options);
  try {
    return (await api.call('sessions.export', { session_id, format }, { signal: options.signal })).blob;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'export_too_large') throw error;
    return readAll(session_id, format, options);
  }
}

interface Exporting {
  signal: AbortSignal;
  progress: (count: number) => void;
  labels: ExportLabels;
}

async function readAll(session_id: string, format: ExportFormat, { signal, progress, labels }: Exporting): Promise<Blob> {
  const session = await api.call('sessions.get', { session_id }, { signal });
  const pages: Message[][] = [];
  for (let before: string | undefined, count = 0; ; ) {
    const found = await api.call('messages.list', { session_id, limit: page, ...(before === undefined ? {} : { before }) }, { signal });
    if (found.length === 0) break;
    pages.unshift(found);
    count += found.length;
    progress(count);
    before = found[0]?.id;
  }
  const messages = pages.flat();
  const content = format === 'json' ? JSON.stringify({ session, messages }, null, 2) : toMarkdown(session, messages, labels);
  return new Blob([content], { type: format === 'json' ? 'application/json' : 'text/markdown' });
}

export interface ExportLabels {
  time: (iso: string) => string;
  deleted: string;
  tool: (name: string) => string;
  attachments: string;
}

function toMarkdown({ title }: Session, messages: readonly Message[], labels: ExportLabels): string {
  return [`# ${title}`, ...messages.map((message) => messageText(message, labels))].join('\n\n').concat('\n');
}

function messageText({ sender_name, created_at, content, deleted_at, tool_calls, files, images }: Message, labels: ExportLabels): string {
  const names = [...images.map(({ name, url }) => name ?? url), ...files.map(({ name }) => name)];
  return [
    `## ${sender_name} · ${labels.time(created_at)}`,
    ...tool_calls.map(
      ({ name, input, output, error }) => `${fenced(`${labels.tool(name)}\n${JSON.stringify(input)}\n${error ?? output ?? ''}`.trim())}`,
    ),
    ...(deleted_at === null ? [content] : [`*${labels.deleted}*`]),
    ...(names.length > 0 ? [`${labels.attachments}: ${names.join(', ')}`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Wraps text in a fence that is longer than any within it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}text\n${text}\n${mark}`;
}

/** Returns a name that every file system accepts. */
export function fileName(title: string, format: ExportFormat): string {
  const plain = title
    .replace(/[\p{C}/\\:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 80);
  return `${plain || 'conversation'}.${format === 'json' ? 'json' : 'md'}`;
}
