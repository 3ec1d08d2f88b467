import { type Client, connect } from '../kernel/client/connect.js';
import type { Transport } from '../kernel/client/transport.js';
import type { OperationData } from '../kernel/contract/manifest.js';
import type { CatalogRecord, PanelRecord, PluginRecord } from '../kernel/contract/system.js';
import type { Me } from './kit/panel.js';
import { Source } from './plugin-panel/source.js';

/** Snapshot of an installation for the current member. */
export interface Installation {
  me: Me;
  /** All data as JSON, to detect changes. The catalog's generation is not enough: another process restarts it, and a role change doesn't raise it. */
  fingerprint: string;
  /** Ids of the operations that this member may use. */
  operations: ReadonlySet<string>;
  /** Ids of the active extensions with operations for this member. */
  extensions: ReadonlySet<string>;
  /** Topics of extensions that can be subscribed to. */
  topics: readonly string[];
  /** Panels of plugins. */
  panels: readonly PanelRecord[];
  source: Source;
  client: Client<Record<string, never>>;
}

const plain = { method: 'GET', kind: 'call', input: { type: 'object', properties: {} }, status: 200, who: 'member', summary: '' } as const;
const first = {
  'catalog.get': { ...plain, path: '/api/catalog' },
  'auth.me': { ...plain, path: '/api/auth/me' },
} satisfies Record<string, OperationData>;

/** Reads the installation; returns `known` itself if nothing has changed. */
export async function readInstallation(transport: Transport, signal: AbortSignal, known?: Installation): Promise<Installation> {
  const ask = async (id: string, operation: OperationData) =>
    (await transport.call({ id, operation, input: {}, options: { signal } })).body;
  const { generation, operations, panels } = (await ask('catalog.get', first['catalog.get'])) as CatalogRecord;
  const me = (await ask('auth.me', first['auth.me'])) as Me;
  const fingerprint = JSON.stringify([generation, operations, panels, me]);
  if (known?.fingerprint === fingerprint) return known;
  const plugins = operations['plugins.list'] ? ((await ask('plugins.list', operations['plugins.list'])) as PluginRecord[]) : [];
  return {
    me,
    fingerprint,
    operations: new Set(Object.keys(operations)),
    extensions: new Set(Object.values(operations).map(({ extension }) => extension)),
    topics: plugins.flatMap(({ contributes }) => contributes.topics),
    panels,
    source: new Source(operations, transport),
    client: connect(operations, transport),
  };
}
