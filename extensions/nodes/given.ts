import { type Fault, fail, isFailure } from '../../kernel/contract/index.js';
import { imageOf } from './containers/image.js';
import { cpuOf, memoryOf } from './containers/limits.js';
import type { NewNodeConfig, NodeChange } from './contract.js';
import { type EngineAddress, targetOf } from './engines/address.js';
import type { KeptConfig } from './models.js';
import type { EngineSecrets } from './store/stored.js';

/** A new node's settings, checked, with what is left out filled in. */
export interface Given {
  host: string;
  config: KeptConfig;
  secrets: EngineSecrets;
}

/**
 * Reads what a node is to be.
 *
 * @param image the setting `nodes.image`
 * @throws `invalid_input` with all faults at once
 */
export function given(host: string, config: NewNodeConfig, image: string): Given {
  const kept: KeptConfig = {
    image: config.image ?? image,
    memory_limit: config.memory_limit ?? '512m',
    cpu_limit: config.cpu_limit ?? '1.0',
    network: config.network ?? 'internet',
    host_key: config.ssh?.host_key ?? '',
  };
  const secrets = changed({}, config);
  const limits = [imageOf(kept.image), memoryOf(kept.memory_limit), cpuOf(kept.cpu_limit)];
  const faults = [...limits.flatMap((found) => ('fault' in found ? [found.fault] : [])), ...addressFaults(host, kept.host_key, secrets)];
  if (faults.length > 0) throw invalid(faults);
  return { host, config: kept, secrets };
}

export type ConfigChange = Pick<NewNodeConfig, 'tls' | 'ssh'>;

/** Returns what of a sent configuration changes how an engine is reached; undefined if it is the record's own, sent back. */
export function changeIn({ tls, ssh }: NonNullable<NodeChange['config']>, host_key: string): ConfigChange | undefined {
  const texts = Object.entries(tls ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const isSame = ssh && ssh.host_key === host_key && Object.keys(ssh).length === 1;
  if (texts.length === 0 && (ssh === undefined || isSame)) return undefined;
  return { ...(texts.length > 0 ? { tls: Object.fromEntries(texts) } : {}), ...(ssh ? { ssh } : {}) };
}

/** The secrets after a change: what is left out stays, what is empty goes. */
export function changed(before: EngineSecrets, { tls, ssh }: ConfigChange): EngineSecrets {
  const { host_key: _host_key, ...login } = ssh ?? {};
  return { ...kept('tls', { ...before.tls, ...tls }), ...kept('ssh', { ...before.ssh, ...login }) };
}

function kept(key: 'tls' | 'ssh', values: Readonly<Record<string, string | undefined>>): object {
  const entries = Object.entries(values).filter(([, value]) => value);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

/** What is wrong with an address and with how it is reached. */
export function addressFaults(host: string, host_key: string, secrets: EngineSecrets): readonly Fault[] {
  if (host === '') return localFaults(host_key, secrets);
  try {
    targetOf({ host, host_key, secrets } satisfies EngineAddress);
    return [];
  } catch (fault) {
    if (isFailure(fault) && fault.details) return fault.details;
    throw fault;
  }
}

function localFaults(host_key: string, { tls, ssh }: EngineSecrets): Fault[] {
  const of = (path: string) => ({ path, message: `"${path}" goes with a host; the local engine is reached by PLATFORM_DOCKER_HOST` });
  return [...(tls ? [of('config.tls')] : []), ...(ssh || host_key !== '' ? [of('config.ssh')] : [])];
}

export function invalid(details: readonly Fault[]) {
  return fail('invalid_input', `The input is not valid: ${details.map(({ message }) => message).join('; ')}`, { details });
}
