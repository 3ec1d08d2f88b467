import { type Fault, fail, isFailure } from '../../kernel/contract/index.js';
import { imageOf } from './containers/image.js';
import { cpuOf, memoryOf } from './containers/limits.js';
import type { NewNodeConfig, NodeChange } from './contract.js';
import { type EngineAddress, targetOf } from './engines/address.js';
import type { PublicConfig } from './models.js';
import type { EngineSecrets } from './store/stored.js';

/** Validated settings of a new node, with defaults filled in. */
export interface ValidatedSettings {
  host: string;
  config: PublicConfig;
  secrets: EngineSecrets;
}

/**
 * Validates the settings of a new node.
 *
 * @param image the setting `nodes.image`
 * @throws `invalid_input` with all errors at once
 */
export function validateSettings(host: string, config: NewNodeConfig, image: string): ValidatedSettings {
  const nonEmpty: PublicConfig = {
    image: config.image ?? image,
    memory_limit: config.memory_limit ?? '512m',
    cpu_limit: config.cpu_limit ?? '1.0',
    network: config.network ?? 'internet',
    host_key: config.ssh?.host_key ?? '',
  };
  const secrets = mergeSecrets({}, config);
  const limits = [imageOf(nonEmpty.image), memoryOf(nonEmpty.memory_limit), cpuOf(nonEmpty.cpu_limit)];
  const faults = [
    ...limits.flatMap((found) => ('fault' in found ? [found.fault] : [])),
    ...addressFaults(host, nonEmpty.host_key, secrets),
  ];
  if (faults.length > 0) throw invalid(faults);
  return { host, config: nonEmpty, secrets };
}

export type ConfigChange = Pick<NewNodeConfig, 'tls' | 'ssh'>;

/** Returns the part of a sent configuration that changes how an engine is reached; undefined if it is the record sent back unchanged. */
export function changeOf({ tls, ssh }: NonNullable<NodeChange['config']>, host_key: string): ConfigChange | undefined {
  const texts = Object.entries(tls ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const isSame = ssh && ssh.host_key === host_key && Object.keys(ssh).length === 1;
  if (texts.length === 0 && (ssh === undefined || isSame)) return undefined;
  return { ...(texts.length > 0 ? { tls: Object.fromEntries(texts) } : {}), ...(ssh ? { ssh } : {}) };
}

/** Returns the secrets after a change: omitted ones stay, empty ones are removed. */
export function mergeSecrets(before: EngineSecrets, { tls, ssh }: ConfigChange): EngineSecrets {
  const { host_key: _host_key, ...login } = ssh ?? {};
  return { ...kept('tls', { ...before.tls, ...tls }), ...kept('ssh', { ...before.ssh, ...login }) };
}

function kept(key: 'tls' | 'ssh', values: Readonly<Record<string, string | undefined>>): object {
  const entries = Object.entries(values).filter(([, value]) => value);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

/** Returns the errors of an address and its credentials. */
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
  const of = (path: string) => ({ path, message: `"${path}" needs a host; the local engine is configured with PLATFORM_DOCKER_HOST` });
  return [...(tls ? [of('config.tls')] : []), ...(ssh || host_key !== '' ? [of('config.ssh')] : [])];
}

export function invalid(details: readonly Fault[]) {
  return fail('invalid_input', `The input is not valid: ${details.map(({ message }) => message).join('; ')}`, { details });
}
