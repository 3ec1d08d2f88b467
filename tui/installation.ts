import { type Client, connect } from '../kernel/client/connect.js';
import type { Transport } from '../kernel/client/transport.js';
import type { OperationData } from '../kernel/contract/manifest.js';
import type { Me } from './kit/panel.js';

/** What can be asked of the installation now, by whom. */
export interface Installation {
  me: Me;
  generation: number;
  /** The ids of the extensions that are active and have something for this member. */
  extensions: ReadonlySet<string>;
  client: Client<Record<string, never>>;
}

type Operations = Readonly<Record<string, OperationData & { extension: string }>>;

const plain = { method: 'GET', kind: 'call', input: { type: 'object', properties: {} }, status: 200, who: 'member', summary: '' } as const;
const first = {
  'catalog.get': { ...plain, path: '/api/catalog' },
  'auth.me': { ...plain, path: '/api/auth/me' },
} satisfies Record<string, OperationData>;

/** Reads what there is. */
export async function readInstallation(transport: Transport, signal: AbortSignal): Promise<Installation> {
  const ask = async (id: keyof typeof first) => (await transport.call({ id, operation: first[id], input: {}, options: { signal } })).body;
  const [catalog, me] = await Promise.all([ask('catalog.get'), ask('auth.me')]);
  const { generation, operations } = catalog as { generation: number; operations: Operations };
  return {
    me: me as Me,
    generation,
    extensions: new Set(Object.values(operations).map(({ extension }) => extension)),
    client: connect(operations, transport),
  };
}
