import assert from 'node:assert/strict';
import joi from 'joi';
import type { EventType, StreamEvents } from '../../contract/operation.js';
import type { Audience, Frame } from '../../contract/socket.js';
import type { ActiveOperation } from '../catalog/catalog.js';
import type { Draft } from '../catalog/draft.js';

/** Returns the same events; fails at one that the operation does not declare. Plugins declare none. */
export function assertedEvents(events: StreamEvents, { id, operation }: ActiveOperation): StreamEvents {
  const declared = operation.events?.(joi);
  if (!declared) return events;
  const { from } = events;
  return {
    ...(from === undefined ? {} : { from }),
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        async next() {
          const step = await iterator.next();
          if (!step.done) assertData(id, step.value, declared[step.value.type]);
          return step;
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}

/** Fails if an extension pushes a frame that it does not declare. One that declares none, a plugin, names its frames after itself. */
export function assertPushed({ extension, pushed }: { extension: string } & Pick<Draft, 'pushed'>, to: Audience, frame: Frame): void {
  if (!pushed && frame.type.startsWith(`${extension}.`)) return;
  const type = pushed?.(joi)[frame.type];
  assertData(`Extension '${extension}'`, frame, type);
  const audience = to === 'everyone' ? to : 'topic' in to ? to.topic : 'members';
  assert(type?.to.includes(audience), `The frame '${frame.type}' was pushed to '${audience}', which is not declared`);
}

function assertData(who: string, { type, data }: Frame, declared: EventType | undefined): void {
  assert(declared, `${who} sent '${type}', which it does not declare`);
  const { error } = declared.data.required().validate(JSON.parse(JSON.stringify(data)), { convert: false, abortEarly: false });
  assert(!error, `${who} sent '${type}' in another shape than it declares: ${error?.message}`);
}
