import assert from 'node:assert/strict';
import type { JsonSchema } from '../../kernel/contract/schema.js';
import { type DescribedEvent, type DescribedEvents, describeEvents } from '../../kernel/platform/http/docs/events.js';
import type { OpenApi, OperationObject } from '../../kernel/platform/http/docs/openapi.js';
import { endEvents, progressEvents } from '../../kernel/platform/http/stream-events.js';
import { table } from '../helpers/markdown.js';
import { code, fieldsOf } from './fields.js';

interface Placed {
  place: string;
  operation: OperationObject;
}

/** Returns the page of the events of streams and sockets, from the OpenAPI document of a server. */
export function eventsPage({ paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ place: `${method.toUpperCase()} ${path}`, operation })),
  );
  const having = (reports: boolean) =>
    operations.filter(({ operation: { 'x-events': events } }) => events && 'progress' in events === reports);
  const reporting = having(true).map(({ operation }) => code(operation.operationId ?? ''));
  const frames = paths['/ws']?.get?.['x-frames'];
  assert(frames);
  const sent = Object.entries(frames.sent).map(
    ([type, { to, ...event }]) => [type, { ...event, description: `${event.description}\n\nTo: ${to.map(code).join(', ')}.` }] as const,
  );
  const topics = Object.entries(frames.topics).map(([name, readers]) => [code(name), readers]);
  return `# Events of streams and sockets

Streams are server-sent events: \`event\` is the type, \`data\` a JSON object that also has it as \`type\`, and \`id\` the cursor after which a
client continues with \`Last-Event-ID\`. Types may be added: ignore those that you do not know.

## Every stream

The platform may end any stream with one of these. A server that stops ends it with \`retry\` instead: connect again.

${parts(describeEvents(endEvents))}

## Streams

${streamParts(having(false)).join('\n\n')}

## Progress of calls

With \`Accept: text/event-stream\` these operations report how far they are: ${reporting.join(', ')}.

${parts(describeEvents(progressEvents))}

## Frames from the server

Frames of \`/ws\` are JSON texts \`{type, data, ts}\`. Those that are replayed after a reconnect have a \`cursor\`, and those that answer a frame
have its \`id\`.

${parts(Object.fromEntries(sent))}

## Frames to the server

Frames to \`/ws\` are JSON texts \`{type, data, id?}\`. One with an \`id\` gets an \`ack\`, or an \`error\`, with the same \`id\`.

${parts(frames.taken)}

## Topics

Clients get the frames of a topic after \`subscribe\`.

${table(['Topic', 'For'], topics)}`;
}

/** Describes each stream. Events that an earlier one has too are only named. */
function streamParts(streams: readonly Placed[]): string[] {
  const common = Object.keys(describeEvents(endEvents));
  const known = new Map<string, string>();
  return streams.map(({ place, operation: { operationId = '', summary = '', 'x-events': events = {} } }) => {
    const own = Object.entries(events).filter(([type]) => !common.includes(type));
    const earlier = own.filter((event) => known.has(JSON.stringify(event)));
    const first = known.get(JSON.stringify(earlier[0])) ?? '';
    const same = earlier.length > 1 ? [`As ${code(first)}: ${earlier.map(([type]) => code(type)).join(', ')}.`] : [];
    const rest = own.filter((event) => same.length === 0 || !earlier.includes(event));
    for (const event of own) if (!known.has(JSON.stringify(event))) known.set(JSON.stringify(event), operationId);
    const shown = [`### \`${operationId}\``, code(place), summary, ...same, parts(Object.fromEntries(rest))];
    return shown.filter((text) => text !== '').join('\n\n');
  });
}

function parts(events: DescribedEvents): string {
  return Object.entries(events).map(part).join('\n\n');
}

function part([type, { description, data }]: [string, DescribedEvent]): string {
  const fields = fieldsOf(data as JsonSchema);
  return [`#### \`${type}\``, description, ...(fields.length > 0 ? [table(['Data', 'Type', 'Meaning'], fields)] : [])].join('\n\n');
}
