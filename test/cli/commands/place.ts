import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { adminPassword, startPlatform } from '../../helpers/platform.js';
import type { Ended } from '../shell.js';
import type { Way } from './row.js';
import type { Scene } from './scene.js';
import type { Medium, Reaction, Stage } from './stage.js';

interface PlaceParts {
  way: Way;
  stage: Stage;
  home: string;
  env: Readonly<Record<string, string>>;
  url: string;
}

/** A home with a copy of the scene, a way to it, and a process that runs commands there. */
export class Place {
  readonly way: Way;
  readonly #parts: PlaceParts;

  private constructor(parts: PlaceParts) {
    this.way = parts.way;
    this.#parts = parts;
  }

  /** Makes one; but for `direct` its server runs until the test's end. */
  static async open(t: Test, scene: Scene, { way, stage }: { way: Way; stage: Stage }): Promise<Place> {
    const home = join(scene.folder, `${way}-${stage.medium}`);
    const data_dir = join(home, 'data');
    await mkdir(home);
    await cp(join(scene.folder, 'home'), home, { recursive: true });
    const url = way === 'direct' ? '' : (await startPlatform(t, { settings: { ...scene.settings, data_dir } })).url;
    const { PATH = '' } = process.env;
    const own = { PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), TERM: 'xterm', ...scene.env };
    const env =
      way === 'http'
        ? { ...own, PLATFORM_URL: url, PLATFORM_TOKEN: await tokenAt(url) }
        : { ...own, PLATFORM_DATA_DIR: data_dir, PLATFORM_PORT: '0' };
    return new Place({ way, stage, home, env, url });
  }

  get medium(): Medium {
    return this.#parts.stage.medium;
  }

  get home(): string {
    return this.#parts.home;
  }

  /** Its server; empty without one. */
  get url(): string {
    return this.#parts.url;
  }

  run(args: readonly string[], { input = '', reactions = [] }: { input?: string; reactions?: readonly Reaction[] } = {}): Promise<Ended> {
    const { stage, env, home } = this.#parts;
    return stage.run({ args, env, cwd: home, input }, reactions);
  }
}

async function tokenAt(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body });
  return ((await answer.json()) as { access_token: string }).access_token;
}
