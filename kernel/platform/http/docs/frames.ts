import joi from 'joi';
import type { Readers } from '../../../contract/socket.js';
import type { SocketFrames } from '../../../core/catalog/cell.js';
import { kernelTopics } from '../../../core/host/socket-names.js';
import { sentFrames, takenFrames } from '../socket/kernel-frames.js';
import { type DescribedEvents, describeEvent, describeEvents, eventTable } from './events.js';

/** The frames of `/ws`. */
export interface DescribedFrames {
  /** From the server. */
  sent: Record<string, DescribedEvents[string] & { to: readonly string[] }>;
  /** From clients. */
  taken: DescribedEvents;
  /** Topics by name, with those who may subscribe to them. */
  topics: Record<string, string>;
}

/** Describes the frames of the kernel itself. */
export function kernelFrames(): DescribedFrames {
  return { sent: sentOf(sentFrames), taken: describeEvents(takenFrames), topics: topicsOf(Object.entries(kernelTopics)) };
}

/** Describes the frames of an extension. */
export function framesOf({ pushed, frames, topics }: SocketFrames): DescribedFrames {
  const taken = [...frames].map(([type, { schema }]) => {
    const data = schema(joi);
    const { flags } = data.describe() as { flags?: { description?: string } };
    return [type, describeEvent({ description: flags?.description ?? '', data })] as const;
  });
  return { sent: pushed ? sentOf(pushed) : {}, taken: Object.fromEntries(taken), topics: topicsOf(topics) };
}

/** Returns tables of all frames, as Markdown. */
export function frameTables({ sent, taken, topics }: DescribedFrames): string {
  const received = Object.fromEntries(
    Object.entries(sent).map(([type, { to, ...event }]) => [type, { ...event, description: `${event.description}${audience(to)}` }]),
  );
  return [
    'Frames from the server: `{type, data, ts}`, a `cursor` if they can be replayed, and the `id` of the frame that they answer.',
    eventTable('From the server', received),
    'Frames to the server: `{type, data, id?}`. A frame with an `id` gets an `ack`, or an `error`, with the same `id`.',
    eventTable('To the server', taken),
    ['| Topic | For |', '|---|---|', ...Object.entries(topics).map(([name, readers]) => `| \`${name}\` | ${readers} |`)].join('\n'),
  ].join('\n\n');
}

function sentOf(frames: typeof sentFrames): DescribedFrames['sent'] {
  return Object.fromEntries(Object.entries(frames(joi)).map(([type, { to, ...event }]) => [type, { ...describeEvent(event), to }]));
}

function topicsOf(topics: Iterable<readonly [string, Readers]>): DescribedFrames['topics'] {
  const readersOf = (readers: Readers) =>
    typeof readers === 'function' ? 'members whom the extension admits' : readers === 'admin' ? 'administrators' : 'members';
  return Object.fromEntries([...topics].map(([name, readers]) => [name, readersOf(readers)]));
}

function audience(to: readonly string[]): string {
  const topics = to.filter((name) => name !== 'members' && name !== 'everyone').map((name) => `\`${name}\``);
  return topics.length === 0 ? '' : ` To subscribers of ${topics.join(', ')}.`;
}
