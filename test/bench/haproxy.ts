import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../helpers/eventually.js';
import { freePort } from '../helpers/ports.js';
import { killed } from '../helpers/processes.js';

const shipped = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url));
const server_line = /^ {2}server .*$/gm;
const max_start_ms = 20_000;

/** The load balancer of `deploy/`, with its settings, before as many instances as there are. */
export class Haproxy {
  readonly url: string;
  readonly #program: ChildProcess;

  private constructor(url: string, program: ChildProcess) {
    this.url = url;
    this.#program = program;
  }

  /** @param folder where its settings are written. Gives one that has found its instances ready. */
  static async start(folder: string, instances: readonly string[]): Promise<Haproxy> {
    const bind = `127.0.0.1:${await freePort()}`;
    const file = join(folder, `haproxy-${bind.split(':')[1]}.cfg`);
    const servers = instances.map((url, index) => `  server instance-${index} ${new URL(url).host}`);
    const settings = readFileSync(shipped, 'utf8').replace(server_line, '').trimEnd();
    writeFileSync(file, `${settings}\n${servers.join('\n')}\n`);
    // One process, so that its processor time is the balancer's.
    const program = spawn('haproxy', ['-db', '-f', file], { env: { ...process.env, BALANCER_BIND: bind }, stdio: 'ignore' });
    const balancer = new Haproxy(`http://${bind}`, program);
    await balancer.#ready().catch(async (fault: unknown) => {
      await balancer.stop();
      throw fault;
    });
    return balancer;
  }

  get pid(): number {
    return this.#program.pid as number;
  }

  async stop(): Promise<void> {
    await killed(this.#program);
  }

  async #ready(): Promise<void> {
    const asked = () =>
      fetch(`${this.url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await until(asked, (status) => status === 200, max_start_ms);
  }
}
