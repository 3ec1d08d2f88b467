import { coreCodes } from '../../../contract/failure.js';
import type { ActiveDoor } from '../../../core/catalog/catalog.js';
import type { OperationObject, Paths } from './openapi.js';

/** What doors add to the document: that they are there, and whose protocol they speak. */
export function describeDoors(doors: readonly ActiveDoor[]): Paths {
  const paths: Paths = {};
  for (const active of doors) {
    const described = describeDoor(active);
    const methods = active.door.methods.map((method) => [method.toLowerCase(), described] as const);
    paths[active.door.path] = { ...paths[active.door.path], ...Object.fromEntries(methods) };
  }
  return paths;
}

function describeDoor({ extension, door }: ActiveDoor): OperationObject {
  const scope = door.scope ? ` A personal token needs the scope \`${door.scope}\`.` : '';
  return {
    summary: door.summary,
    description: `Speaks a protocol of its own, in which its failures are told too. For members.${scope}`,
    tags: ['api', extension],
    parameters: [...door.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    responses: {
      200: { description: "An answer in the protocol's own form" },
      [coreCodes.unauthenticated]: { description: '`unauthenticated`, `invalid_token`' },
      [coreCodes.rate_limited]: { description: '`rate_limited`' },
      default: { description: "A failure in the protocol's own form" },
    },
  };
}
