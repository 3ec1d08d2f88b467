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
}

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
    const { profiles } = await this.#read();
    await this.#write({ current: name, profiles: { ...profiles, [name]: profile } });
  }

  /** Gives a profile another token, where it is still there. */
  async renew(name: string, token: string): Promise<void> {
    const { current, profiles } = await this.#read();
    const profile = profiles[name];
    if (profile) await this.#write({ current, profiles: { ...profiles, [name]: { ...profile, token } } });
  }

  async remove(name: string): Promise<void> {
    const { current, profiles } = await this.#read();
    const { [name]: _removed, ...rest } = profiles;
    await this.#write({ current: current === name ? undefined : current, profiles: rest });
  }

  async #read(): Promise<Stored> {
    try {
      const stored = JSON.parse(await readFile(this.#file, 'utf8')) as Partial<Stored>;
      return { current: stored.current, profiles: stored.profiles ?? {} };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, profiles: {} };
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
