import type { Config } from './schema.js';

/** Returns the settings of one extension: its section, and the shared settings that it needs. */
export function settingsOf(config: Config, extension: string): Readonly<Record<string, unknown>> {
  const section = (config as unknown as Record<string, unknown>)[extension];
  const own = typeof section === 'object' && section !== null && !Array.isArray(section) ? (section as Record<string, unknown>) : {};
  return Object.freeze({ ...own, ...sharedSettings(config)[extension] });
}

function sharedSettings(config: Config): Record<string, Readonly<Record<string, unknown>>> {
  const { docker_host, docker_cert_path, trusted_proxies } = config;
  return { nodes: { docker_host, docker_cert_path }, members: { trusted_proxies, address: addressOf(config) } };
}

/** Returns the address that people open: the configured one, or that of the listener if it is known; otherwise an empty text. */
function addressOf({ base_url, host, port }: Config): string {
  if (base_url !== '') return base_url.replace(/\/+$/, '');
  if (port === 0 || ['0.0.0.0', '::'].includes(host)) return '';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
