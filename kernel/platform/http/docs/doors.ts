import { coreCodes } from '../../../contract/failure.js';
import type { ActiveDoor } from '../../../core/catalog/catalog.js';
import type { OperationObject, Paths } from './openapi.js';

/** Describes the doors of an extension, which speak protocols of their own. */
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
    description: `Uses its own protocol, also for errors. For members.${scope}`,
    tags: ['api', extension],
    parameters: [...door.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    responses: {
      200: { description: "A response in the protocol's format" },
      [coreCodes.unauthenticated]: { description: '`unauthenticated`, `invalid_token`' },
      [coreCodes.rate_limited]: { description: '`rate_limited`' },
      default: { description: "An error in the protocol's format" },
    },
  };
}
