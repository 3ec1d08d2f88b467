import { type Caller, mayAdminister, type Secrets } from '../../kernel/contract/index.js';
import type { Node, NodeConfig } from './contract.js';
import type { EngineSecrets, StoredNode } from './store/stored.js';

/** What is kept of an engine's secrets, opened. */
export function secretsOf({ sealed }: Pick<StoredNode, 'sealed'>, secrets: Pick<Secrets, 'open'>): EngineSecrets {
  return sealed === '' ? {} : (JSON.parse(secrets.open(sealed).toString('utf8')) as EngineSecrets);
}

/** Seals them; empty where there are none. */
export function sealed(kept: EngineSecrets, secrets: Secrets): string {
  return Object.keys(kept).length === 0 ? '' : secrets.seal(Buffer.from(JSON.stringify(kept)));
}

/** A node as administrators see it. */
export function recordOf(stored: StoredNode, secrets: Secrets): Node {
  const { config, sealed: _sealed, misses: _misses, started_at: _started_at, ...node } = stored;
  const { host_key, ...plain } = config;
  const { tls, ssh } = secretsOf(stored, secrets);
  const shown: NodeConfig = { ...plain };
  if (tls) shown.tls = { ca: Boolean(tls.ca), cert: Boolean(tls.cert), key: Boolean(tls.key) };
  if (host_key !== '') shown.ssh = { host_key, has_private_key: Boolean(ssh?.private_key), has_password: Boolean(ssh?.password) };
  return { ...node, config: shown };
}

/** What members see: not where an engine is, how it is reached, nor sentences that may say so. */
export function shownTo(caller: Pick<Caller, 'role' | 'scopes'>, node: Node): Node {
  if (mayAdminister(caller)) return node;
  const { tls: _tls, ssh: _ssh, ...config } = node.config;
  return { ...node, host: '', config, reason: '', walls: { ...node.walls, reason: '' }, container_id: null };
}
