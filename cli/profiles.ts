import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './exit.js';

/** A login on one server. */
export interface Profile {
  url: string;
  username: string;
  /** A personal token, made for this program. */
  token: string;
}

interface Stored {
  /** The one that is used where none is named. */
  current: string | undefined;
  profiles: Record<string, Profile>;
  /** By a server's address the device token of the last login there; it outlives the profile. */
  devices: Record<string, string>;
}

/** Servers whose device tokens are kept. */
const max_devices = 50;

/** Where logins are kept: `$XDG_CONFIG_HOME/platform/profiles.json`, readable by its owner alone. */
export function profilesFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'platform', 'profiles.json');
}

export class Profiles {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The profile of that name, or the current one. */
  async find(name: string | undefined): Promise<{ name: string; profile: Profile } | undefined> {
    const { current, profiles } = await this.#read();
    const wanted = name ?? current;
    if (wanted === undefined) return undefined;
    const profile = Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined;
    return profile === undefined ? undefined : { name: wanted, profile };
  }

  /** The same; one that is named must be there. */
  async require(name: string): Promise<Profile> {
    const found = await this.find(name);
    if (found) return found.profile;
    throw new UsageError(`There is no profile '${name}'`, `make it with: platform login --profile ${name} --url <address>`);
  }

  /** Keeps a profile and makes it the current one. */
  async save(name: string, profile: Profile): Promise<void> {
    const stored = await this.#read();
    await this.#write({ ...stored, current: name, profiles: { ...stored.profiles, [name]: profile } });
  }

  /** The device token of a server's last login, or null. */
  async device(url: string): Promise<string | null> {
    const { devices } = await this.#read();
    return Object.hasOwn(devices, url) ? (devices[url] ?? null) : null;
  }

  async saveDevice(url: string, token: string): Promise<void> {
    const stored = await this.#read();
    const { [url]: _before, ...others } = stored.devices;
    await this.#write({ ...stored, devices: Object.fromEntries([...Object.entries(others), [url, token]].slice(-max_devices)) });
  }

  /** Gives a profile another token, where it is still there. */
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
      throw new UsageError(`The file with the logins, ${this.#file}, can't be read`, 'remove it and log in again');
    }
  }

  async #write(stored: Stored): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
    const aside = `${this.#file}.${process.pid}`;
    await writeFile(aside, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 });
    await rename(aside, this.#file);
  }
}
