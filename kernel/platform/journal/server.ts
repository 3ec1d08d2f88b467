import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Log } from '../../contract/extension.js';
import { Connection } from '../bus/connection.js';
import { type ScriptName, scripts } from './scripts.js';

const hashes = Object.fromEntries(
  Object.entries(scripts).map(([name, lua]) => [name, createHash('sha1').update(lua).digest('hex')]),
) as Record<ScriptName, string>;

/** The connection for commands, with the journal's scripts loaded and the server's run known. */
export class Server {
  readonly connection: Connection;
  /** Number of lost writers known to this process. */
  losses = 0;
  #run = '';

  constructor({ url, log, onReady }: { url: string; log: Log; onReady: () => void }) {
    this.connection = new Connection({ url, log, name: 'commands', prepare: (redis) => this.#prepare(redis), onReady });
  }

  /** Runs a script on keys, such as a topic's hash and stream; adds the run and the losses before `args`. */
  script(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.connection.send(async (redis) => {
      const run = (): Promise<unknown> => redis.evalsha(hashes[name], keys.length, ...keys, this.#run, this.losses, ...args);
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
        await this.#load(redis);
        return run();
      }
    });
  }

  async #prepare(redis: Redis): Promise<void> {
    const info = await redis.info('server');
    this.#run = /^run_id:(\w+)/m.exec(info)?.[1] ?? 'unknown';
    await this.#load(redis);
  }

  async #load(redis: Redis): Promise<void> {
    for (const lua of Object.values(scripts)) await redis.script('LOAD', lua);
  }
}
