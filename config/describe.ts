import type { SettingRow } from '../kernel/contract/system.js';
import { masked, withoutCredentials } from './credentials.js';
import type { SettingSources } from './load.js';
import { type Config, type Setting, type SettingKey, settings } from './schema.js';

/** Returns all settings with their values and sources; secrets are masked. A missing source is `unknown`. */
export function describe(config: Config, sources: Partial<SettingSources>): SettingRow[] {
  return (Object.keys(settings) as SettingKey[]).map((key) => {
    const { environment, summary, secret, type }: Setting = settings[key];
    const value = key.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], config);
    const shown = secret === true ? (type.masked?.(value) ?? mask(String(value))) : withoutCredentials(value);
    return { key, value: shown, source: sources[key] ?? 'unknown', environment, summary };
  });
}

/** Masks a secret. In an address it masks only the credentials: the rest shows which server is meant. */
function mask(secret: string): string {
  if (secret === '' || /^\w+:$/.test(secret)) return secret;
  return /^\w+:\/\//.test(secret) && URL.canParse(secret) ? withoutCredentials(secret) : masked;
}
