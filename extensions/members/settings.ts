import assert from 'node:assert/strict';

/** Configuration of this extension. */
export interface Settings {
  admin_username: string;
  /** Empty means a random one. */
  admin_password: string;
  /** Seconds. */
  access_ttl_s: number;
  /** Limit of people; 0 means unlimited. */
  seats: number;
  /** Address ranges of trusted proxies: the platform's own setting. */
  trusted_proxies: readonly string[];
  /** Address that links to the platform begin with, from the platform's own settings; empty if it is not known. */
  address: string;
}

const defaults: Settings = {
  admin_username: 'admin',
  admin_password: '',
  access_ttl_s: 28_800,
  seats: 0,
  trusted_proxies: [],
  address: '',
};

/** Completes the settings with defaults. They were validated when loaded. */
export function readSettings(config: Readonly<Record<string, unknown>>): Settings {
  const settings = { ...defaults, ...config };
  for (const key of Object.keys(defaults) as (keyof Settings)[])
    assert.equal(typeof settings[key], typeof defaults[key], `members.${key} is a ${typeof defaults[key]}`);
  return settings;
}
