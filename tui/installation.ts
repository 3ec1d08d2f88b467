import { type Client, connect } from '../kernel/client/connect.js';
import type { Transport } from '../kernel/client/transport.js';
import type { OperationData } from '../kernel/contract/manifest.js';
import type { CatalogRecord, PanelRecord, PluginRecord } from '../kernel/contract/system.js';
import type { Me } from './kit/panel.js';
import { Source } from './plugin-panel/source.js';

/** What can be asked of the installation now, by whom. */
export interface Installation {
  me: Me;
  /** All that was read, to compare: another process counts its generations anew, and a role changes without one. */
  print: string;
  /** The ids of those that this member may use. */
  operations: ReadonlySet<string>;
  /** The ids of the extensions that are active and have something for this member. */
  extensions: ReadonlySet<string>;
  /** What extensions tell by themselves, to who subscribes. */
  topics: readonly string[];
  /** The pages of plugins. */
  panels: readonly PanelRecord[];
  source: Source;
  client: Client<Record<string, never>>;
}

const plain = { method: 'GET', kind: 'call', input: { type: 'object', properties: {} }, status: 200, who: 'member', summary: '' } as const;
const first = {
  'catalog.get': { ...plain, path: '/api/catalog' },
  'auth.me': { ...plain, path: '/api/auth/me' },
} satisfies Record<string, OperationData>;

/** Reads what there is; gives what was known where that still holds. */
export async function readInstallation(transport: Transport, signal: AbortSignal, known?: Installation): Promise<Installation> {
  const ask = async (id: string, operation: OperationData) =>
    (await transport.call({ id, operation, input: {}, options: { signal } })).body;
  const { generation, operations, panels } = (await ask('catalog.get', first['catalog.get'])) as CatalogRecord;
  const me = (await ask('auth.me', first['auth.me'])) as Me;
  const print = JSON.stringify([generation, operations, panels, me]);
  if (known?.print === print) return known;
  const plugins = operations['plugins.list'] ? ((await ask('plugins.list', operations['plugins.list'])) as PluginRecord[]) : [];
  return {
    me,
    print,
    operations: new Set(Object.keys(operations)),
    extensions: new Set(Object.values(operations).map(({ extension }) => extension)),
    topics: plugins.flatMap(({ contributes }) => contributes.topics),
    panels,
    source: new Source(operations, transport),
    client: connect(operations, transport),
  };
}
