import { type Caller, mayAdminister, type Secrets } from '../../kernel/contract/index.js';
import type { Node, NodeConfig } from './contract.js';
import type { EngineSecrets, StoredNode } from './store/stored.js';

/** Opens the stored secrets of an engine. */
export function secretsOf({ sealed: sealSecrets }: Pick<StoredNode, 'sealed'>, secrets: Pick<Secrets, 'open'>): EngineSecrets {
  return sealSecrets === '' ? {} : (JSON.parse(secrets.open(sealSecrets).toString('utf8')) as EngineSecrets);
}

/** Seals secrets; empty if there are none. */
export function sealed(kept: EngineSecrets, secrets: Secrets): string {
  return Object.keys(kept).length === 0 ? '' : secrets.seal(Buffer.from(JSON.stringify(kept)));
}

/** Builds the record for administrators. */
export function recordOf(stored: StoredNode, secrets: Secrets): Node {
  const { config, sealed: _sealed, misses: _misses, started_at: _started_at, ...node } = stored;
  const { host_key, ...plain } = config;
  const { tls, ssh } = secretsOf(stored, secrets);
  const publicConfig: NodeConfig = { ...plain };
  if (tls) publicConfig.tls = { ca: Boolean(tls.ca), cert: Boolean(tls.cert), key: Boolean(tls.key) };
  if (host_key !== '') publicConfig.ssh = { host_key, has_private_key: Boolean(ssh?.private_key), has_password: Boolean(ssh?.password) };
  return { ...node, config: publicConfig };
}

/** Removes what members may not see: the engine's address, its credentials, and messages that may reveal them. */
export function visibleTo(caller: Pick<Caller, 'role' | 'scopes'>, node: Node): Node {
  if (mayAdminister(caller)) return node;
  const { tls: _tls, ssh: _ssh, ...config } = node.config;
  return { ...node, host: '', config, reason: '', walls: { ...node.walls, reason: '' }, container_id: null };
}
