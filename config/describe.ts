import { type Config, type Setting, type SettingKey, settings } from './schema.js';

/** One setting as a person sees it. */
export interface SettingRow {
  key: string;
  /** Secrets are masked; `''` where a setting is not set. */
  value: unknown;
  environment: string;
  summary: string;
}

/** All settings with their values, secrets masked. */
export function describe(config: Config): SettingRow[] {
  return (Object.keys(settings) as SettingKey[]).map((key) => {
    const { environment, summary, secret, type }: Setting = settings[key];
    const value = key.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], config);
    return { key, value: secret === true ? (type.masked?.(value) ?? mask(String(value))) : value, environment, summary };
  });
}

// Of an address only the password is secret; the rest helps to see which server is meant.
function mask(secret: string): string {
  if (secret === '' || /^\w+:$/.test(secret)) return secret;
  if (!/^\w+:\/\//.test(secret) || !URL.canParse(secret)) return '********';
  const url = new URL(secret);
  if (url.password !== '') url.password = '********';
  url.search = '';
  return url.href;
}
