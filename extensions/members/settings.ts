import assert from 'node:assert/strict';

/** What the configuration says to this extension. */
export interface Settings {
  admin_username: string;
  /** Empty: a random one. */
  admin_password: string;
  /** Seconds. */
  access_ttl_s: number;
  /** People at most; 0: unlimited. */
  seats: number;
  /** Address ranges of the proxies that are believed: the platform's own setting. */
  trusted_proxies: readonly string[];
}

const defaults: Settings = { admin_username: 'admin', admin_password: '', access_ttl_s: 28_800, seats: 0, trusted_proxies: [] };

/** The settings as the kernel hands them over, completed. They were validated where they were loaded. */
export function readSettings(config: Readonly<Record<string, unknown>>): Settings {
  const settings = { ...defaults, ...config };
  for (const key of Object.keys(defaults) as (keyof Settings)[])
    assert.equal(typeof settings[key], typeof defaults[key], `members.${key} is a ${typeof defaults[key]}`);
  return settings;
}
