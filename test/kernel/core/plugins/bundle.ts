import { createHash } from 'node:crypto';
import { compileFunction } from 'node:vm';
import type { Manifest, Operation } from '../../../../kernel/contract/index.js';
import { describeOperation } from '../../../../kernel/core/host/describe-operation.js';
import { type Part, zipOf } from '../../platform/bundles/zip.js';

export interface PluginParts extends Partial<Manifest> {
  /** The body of its `activate(ctx)`; operations are made by `op`, streams by `stream`, for the id `guest` by default. */
  activate?: string;
  /** The channels that its manifest lists. */
  channels?: readonly string[];
  /** And topics. */
  topics?: readonly { name: string; readers: 'member' | 'admin' }[];
  /** Further files beside it. */
  files?: readonly Part[];
}

/** The ZIP of a plugin, its manifest filled in as the packing of a bundle would. */
export function pluginZip({ activate = '', files = [], channels, topics, ...manifest }: PluginParts = {}): Buffer {
  const id = manifest.id ?? 'guest';
  const code = `${prelude(id)}\nexports.default = { async activate(ctx) {\n${activate}\n} };`;
  const described: Manifest = {
    id,
    name: 'Guest',
    type: 'plugin',
    version: '1.0.0',
    description: 'Stays for the time of a test.',
    author: 'tests',
    main: 'index.cjs',
    contributes: { operations: operationsOf(code), ...(channels ? { channels } : {}), ...(topics ? { topics } : {}) },
    ...manifest,
  };
  const parts = [{ name: 'manifest.json', content: JSON.stringify(described) }, { name: 'index.cjs', content: code }, ...files];
  return zipOf(parts);
}

export const hashOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Calls an operation of the guest's: `op('greet')` is `POST /api/x/<id>/greet`, takes any object and answers anything. */
const prelude = (id: string) => `
const op = (name, more = {}) => ({
  summary: 'Does ' + name + '.', method: 'POST', path: '/api/x/${id}/' + name, who: 'member', input: (j) => j.object().unknown(), answer: (j) => j.any(), ...more,
});
const stream = (name) => ({ ...op(name, { kind: 'stream', method: 'GET' }), answer: undefined });
`;

/** Runs the code here, with a context that does nothing, to see what it exposes. */
function operationsOf(code: string) {
  const exposed: Record<string, Operation> = {};
  const idle: unknown = new Proxy(() => idle, {
    get: (_target, key) => {
      if (key === 'then') return undefined;
      if (key === 'expose') return (operations: object) => Object.assign(exposed, operations);
      return key === Symbol.toPrimitive ? () => '' : idle;
    },
  });
  const exports: { default?: { activate(ctx: unknown): unknown } } = {};
  compileFunction(code, ['exports', 'require', 'process', 'setTimeout', 'setInterval'])(exports, () => idle, idle, idle, idle);
  Promise.resolve(exports.default?.activate(idle)).catch(() => undefined);
  return Object.fromEntries(
    Object.entries(exposed).map(([id, operation]) => [id, JSON.parse(JSON.stringify(describeOperation(operation)))]),
  );
}
