import type { Fault } from '../../contract/failure.js';
import type { Manifest, OperationData } from '../../contract/manifest.js';
import { ForeignSchemas } from './foreign-schemas.js';
import { panelFaults, panelOperations } from './panel-faults.js';
import { routeClashes } from './route-clashes.js';

/** Reports flag names of a command that another of its flags uses, or that belong to no input. */
function flagFaults({ contributes = {} }: Manifest, add: (path: string, message: string) => unknown): void {
  const { commands = [], operations = {} } = contributes;
  for (const [index, { operation, flags = {} }] of commands.entries()) {
    const { properties = {} } = (operations[operation]?.input ?? {}) as { properties?: object };
    const names = Object.keys(properties).map((key) => flags[key] ?? key.replaceAll('_', '-'));
    for (const [key, name] of Object.entries(flags)) {
      const path = `contributes.commands.${index}.flags.${key}`;
      if (!Object.hasOwn(properties, key)) add(path, `matches no input of '${operation}'`);
      else if (names.indexOf(name) !== names.lastIndexOf(name)) add(path, `is '${name}', which another input uses`);
    }
  }
}

/** Returns faults of a third party's contributions: forbidden or contradictory ones. The manifest's shape must be valid. */
export function contributionFaults(manifest: Manifest): Fault[] {
  const { contributes = {}, config, type } = manifest;
  const { operations = {} } = contributes;
  const faults: Fault[] = [];
  const add = (path: string, message: string) => faults.push({ path, message: `"${path}" ${message}` });
  const schemas = new ForeignSchemas(manifest.id, add);
  if (type === 'skill' && Object.keys(contributes).length > 0)
    add('contributes', 'is only allowed in plugins: a skill contributes nothing');
  if (config !== undefined) configFaults(config, schemas, add);
  for (const [id, operation] of Object.entries(operations)) operationFaults(manifest, id, { operation, schemas, add });
  const routes = Object.entries(operations).map(([id, { method, path }]) => ({ id, method, path }));
  for (const { earlier, later } of routeClashes(routes))
    add(`contributes.operations.${later.id}.path`, `is ${later.method} ${later.path}, which '${earlier.id}' has already`);
  for (const { path, id } of namedOperations(manifest)) {
    if (!Object.hasOwn(operations, id)) add(path, `names '${id}', which is not an operation of this plugin`);
  }
  flagFaults(manifest, add);
  panelFaults(manifest, add);
  assertListMatches(manifest, 'actions', ({ schedulable }) => schedulable === true, add);
  assertListMatches(manifest, 'tools', ({ tool }) => tool === true, add);
  const { topics = [], channels = [] } = contributes;
  const names = [
    ...topics.map(({ name }, index) => ({ name, path: `contributes.topics.${index}.name` })),
    ...channels.map((name, index) => ({ name, path: `contributes.channels.${index}` })),
  ];
  for (const { name, path } of names) if (!name.startsWith(`${manifest.id}.`)) add(path, `must begin with '${manifest.id}.'`);
  return faults;
}

type Add = (path: string, message: string) => unknown;

function operationFaults(
  { id: extension, permissions = {} }: Manifest,
  id: string,
  { operation, schemas, add }: { operation: OperationData; schemas: ForeignSchemas; add: Add },
): void {
  const path = `contributes.operations.${id}`;
  if (!id.startsWith(`${extension}.`)) add(path, `must begin with '${extension}.'`);
  const names = pathParameters(operation.path, extension);
  if (names === undefined)
    add(`${path}.path`, `must start with /api/x/${extension}; segments are letters, digits, dots and dashes, or {names}`);
  if (operation.who === 'public' && permissions.public_routes !== true)
    add(`${path}.who`, "is 'public', which needs the permission public_routes");
  const { type, properties = {} } = operation.input as { type?: unknown; properties?: object };
  if (type !== 'object') add(`${path}.input`, 'must describe an object');
  for (const name of names ?? []) {
    if (!Object.hasOwn(properties, name)) add(`${path}.input`, `has no '${name}', which the path contains`);
  }
  schemas.check(operation.input, `${path}.input`);
  if (operation.answer !== undefined) schemas.check(operation.answer, `${path}.answer`);
}

/** Returns the parameter names of a path; undefined if a plugin may not use that path. */
function pathParameters(path: string, extension: string): string[] | undefined {
  const base = `/api/x/${extension}`;
  if (path !== base && !path.startsWith(`${base}/`)) return undefined;
  const words = path.split('/').slice(4);
  const isWord = (word: string) => /^([A-Za-z0-9_-][A-Za-z0-9._-]*|\{[A-Za-z][A-Za-z0-9_]*\})$/.test(word);
  return words.every(isWord) ? words.filter((word) => word.startsWith('{')).map((word) => word.slice(1, -1)) : undefined;
}

/** Checks the schema of settings: like an operation's input, plus markers of secrets. */
function configFaults(config: { type?: unknown; properties?: unknown }, schemas: ForeignSchemas, add: Add): void {
  const { type, properties = {} } = config;
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return void add('config', 'must describe an object');
  const withoutMarkers = Object.entries(properties).map(([key, value]) => [key, withoutSecretMarkers(value)] as const);
  schemas.check({ ...config, properties: Object.fromEntries(withoutMarkers) }, 'config');
}

function withoutSecretMarkers(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { writeOnly, format, ...others } = schema as { writeOnly?: unknown; format?: unknown };
  const marks = { ...(typeof writeOnly === 'boolean' ? {} : { writeOnly }), ...(format === 'password' ? {} : { format }) };
  return { ...others, ...Object.fromEntries(Object.entries(marks).filter(([, value]) => value !== undefined)) };
}

function namedOperations(manifest: Manifest): { path: string; id: string }[] {
  const { commands = [] } = manifest.contributes ?? {};
  return [
    ...commands.map(({ operation }, index) => ({ path: `contributes.commands.${index}.operation`, id: operation })),
    ...commands.flatMap(({ follow }, index) =>
      follow === undefined ? [] : [{ path: `contributes.commands.${index}.follow`, id: follow.operation }],
    ),
    ...panelOperations(manifest),
  ];
}

/** Reports differences between an optional list and the operations that carry the matching flag. */
function assertListMatches(
  { contributes = {} }: Manifest,
  key: 'actions' | 'tools',
  says: (operation: OperationData) => boolean,
  add: Add,
): void {
  const { operations = {}, [key]: given } = contributes;
  if (given === undefined) return;
  const wanted = Object.keys(operations).filter((id) => says(operations[id] as OperationData));
  const differing = [...wanted.filter((id) => !given.includes(id)), ...given.filter((id) => !wanted.includes(id))];
  if (differing.length > 0) add(`contributes.${key}`, `differs from the flags of the operations: ${differing.join(', ')}`);
}
