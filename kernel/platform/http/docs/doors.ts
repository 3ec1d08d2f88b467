import type { ProtocolDoor } from '../../../contract/door.js';
import { coreCodes } from '../../../contract/failure.js';
import type { Subject } from '../../../contract/operation.js';
import type { ActiveDoor } from '../../../core/catalog/catalog.js';
import type { Described } from './describe.js';
import type { Content, OperationObject, Paths } from './openapi.js';

/** Describes the doors of an extension, which speak protocols of their own. */
export function describeDoors(doors: readonly ActiveDoor[], itself: Subject): Pick<Described, 'paths' | 'subjects'> {
  const paths: Paths = {};
  for (const { door } of doors) {
    const { id, methods, path, subject = itself } = door;
    const described = methods.map((method) => {
      const operationId = methods.length === 1 ? id : `${id}.${method.toLowerCase()}`;
      return [method.toLowerCase(), describeDoor(door, { operationId, tags: [subject.name] })] as const;
    });
    paths[path] = { ...paths[path], ...Object.fromEntries(described) };
  }
  return { paths, subjects: doors.map(({ door }) => door.subject ?? itself) };
}

function describeDoor(door: ProtocolDoor, named: Pick<OperationObject, 'operationId' | 'tags'>): OperationObject {
  const { body, answer, params = {} } = door.example?.() ?? {};
  const isPublic = door.who === 'public';
  const scope = door.scope ? ` A personal token needs the scope \`${door.scope}\`.` : '';
  return {
    ...named,
    summary: door.summary,
    description: `Uses its own protocol, also for errors. ${isPublic ? 'Needs no token.' : 'For members.'}${scope}`,
    parameters: [...door.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
      ...(params[name] === undefined ? {} : { example: params[name] }),
    })),
    ...(body ? { requestBody: { required: true, content: anyJson(body) } } : {}),
    responses: {
      200: { description: "A response in the protocol's format", ...(answer ? { content: anyJson(answer) } : {}) },
      ...(isPublic ? {} : { [coreCodes.unauthenticated]: { description: '`unauthenticated`, `invalid_token`' } }),
      [coreCodes.rate_limited]: { description: '`rate_limited`' },
      default: { description: "An error in the protocol's format" },
    },
  };
}

/** JSON whose shape is the protocol's. */
function anyJson(example: object): Content {
  return { 'application/json': { schema: { type: 'object', additionalProperties: true }, example } };
}
