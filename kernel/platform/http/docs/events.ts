import joi from 'joi';
import type { EventType, EventTypes } from '../../../contract/operation.js';
import { dataFromSchema } from '../../../core/host/json-schema.js';
import type { SchemaObject } from './openapi.js';
import { openApiSchema } from './schema.js';

/** A type of events or frames in the document. */
export interface DescribedEvent {
  description: string;
  data: SchemaObject;
}

export type DescribedEvents = Record<string, DescribedEvent>;

export function describeEvents(events: EventTypes): DescribedEvents {
  return Object.fromEntries(Object.entries(events(joi)).map(([type, event]) => [type, describeEvent(event)]));
}

export function describeEvent({ description, data }: EventType): DescribedEvent {
  return { description, data: openApiSchema(dataFromSchema(data)) };
}

/** Returns a Markdown table. OpenAPI has no words for events, so pages show them as text. */
export function eventTable(heading: string, events: DescribedEvents): string {
  const rows = Object.entries(events).map(([type, { description, data }]) => `| \`${type}\` | ${description} | ${keysOf(data)} |`);
  return [`| ${heading} | Meaning | Data |`, '|---|---|---|', ...rows].join('\n');
}

function keysOf({ properties = {}, required = [] }: { properties?: object; required?: string[] }): string {
  return Object.keys(properties)
    .map((key) => `\`${key}${required.includes(key) ? '' : '?'}\``)
    .join(', ');
}
