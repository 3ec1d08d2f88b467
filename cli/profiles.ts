import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './exit.js';

/** A stored login on one server. */
export interface Profile {
  url: string;
  username: string;
  /** A personal token, created for this program. */
  token: string;
}

interface Stored {
  /** The default profile. */
  current: string | undefined;
  profiles: Record<string, Profile>;
  /** Device tokens of the last login, by server address; they outlive the profile. */
  devices: Record<string, string>;
}

/** Limit of stored device tokens; the oldest is dropped. */
const max_devices = 50;

/** Returns the file of stored logins: `$XDG_CONFIG_HOME/platform/profiles.json`, readable only by its owner. */
export function profilesFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'platform', 'profiles.json');
}

/** Reads and writes the stored logins. */
export class Profiles {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Finds a profile by name, or the current one. */
  async find(name: string | undefined): Promise<{ name: string; profile: Profile } | undefined> {
    const { current, profiles } = await this.#read();
    const wanted = name ?? current;
    if (wanted === undefined) return undefined;
    const profile = Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined;
    return profile === undefined ? undefined : { name: wanted, profile };
  }

  /** Returns the profile of a name; fails if there is none. */
  async require(name: string): Promise<Profile> {
    const found = await this.find(name);
    if (found) return found.profile;
    throw new UsageError(`There is no profile '${name}'`, `create it with: platform login --profile ${name} --url <address>`);
  }

  /** Stores a profile and makes it the current one. */
  async save(name: string, profile: Profile): Promise<void> {
    const stored = await this.#read();
    await this.#write({ ...stored, current: name, profiles: { ...stored.profiles, [name]: profile } });
  }

  /** Returns the device token of the last login on a server, or null. */
  async device(url: string): Promise<string | null> {
    const { devices } = await this.#read();
    return Object.hasOwn(devices, url) ? (devices[url] ?? null) : null;
  }

  async saveDevice(url: string, token: string): Promise<void> {
    const stored = await this.#read();
    const { [url]: _before, ...others } = stored.devices;
    await this.#write({ ...stored, devices: Object.fromEntries([...Object.entries(others), [url, token]].slice(-max_devices)) });
  }

  /** Replaces the token of a profile if the profile still exists. */
  async renew(name: string, token: string): Promise<void> {
    const stored = await this.#read();
    const profile = stored.profiles[name];
    if (profile) await this.#write({ ...stored, profiles: { ...stored.profiles, [name]: { ...profile, token } } });
  }

  async remove(name: string): Promise<void> {
    const stored = await this.#read();
    const { [name]: _removed, ...rest } = stored.profiles;
    await this.#write({ ...stored, current: stored.current === name ? undefined : stored.current, profiles: rest });
  }

  async #read(): Promise<Stored> {
    try {
      const stored = JSON.parse(await readFile(this.#file, 'utf8')) as Partial<Stored>;
      return { current: stored.current, profiles: stored.profiles ?? {}, devices: stored.devices ?? {} };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, profiles: {}, devices: {} };
      throw new UsageError(`The file of stored logins, ${this.#file}, can't be read`, 'delete it and log in again');
    }
  }

  async #write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const temporary = `${this.#file}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 });
    await rename(temporary, this.#file);
  }
}
