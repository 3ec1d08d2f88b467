import type { Config } from './schema.js';

/** Returns the settings of one extension: its section, and the shared settings that it needs. */
export function settingsOf(config: Config, extension: string): Readonly<Record<string, unknown>> {
  const section = (config as unknown as Record<string, unknown>)[extension];
  const own = typeof section === 'object' && section !== null && !Array.isArray(section) ? (section as Record<string, unknown>) : {};
  return Object.freeze({ ...own, ...sharedSettings(config)[extension] });
}

function sharedSettings({ docker_host, docker_cert_path, trusted_proxies }: Config): Record<string, Readonly<Record<string, unknown>>> {
  return { nodes: { docker_host, docker_cert_path }, members: { trusted_proxies } };
}
