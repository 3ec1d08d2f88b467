import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const clock = new URL('./skewed-clock.js', import.meta.url).href;
const start_ms = 40_000;

export interface InstanceOptions {
  name: string;
  /** Its data is in `data`, and what it says in `log`. */
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** Told when it ends without having been killed. */
  died: (sentence: string) => void;
}

/** A server in a process of its own, as `platform serve` starts it, which is killed, stopped and started again. */
export class Instance {
  readonly #options: InstanceOptions;
  #child: ChildProcess | undefined;
  #isKilled = false;

  constructor(options: InstanceOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get data_dir(): string {
    return join(this.#options.folder, 'data');
  }

  /** Resolves when it listens. */
  async start(): Promise<void> {
    const { name, folder, environment, died } = this.#options;
    const env = { PATH: process.env.PATH ?? '', PLATFORM_DATA_DIR: this.data_dir, PLATFORM_LOG_LEVEL: 'warn', ...environment };
    const child = spawn(process.execPath, ['--import', clock, program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child = child;
    this.#isKilled = false;
    child.stderr?.pipe(createWriteStream(join(folder, 'log'), { flags: 'a' }));
    child.once('exit', (code, signal) => {
      if (!this.#isKilled) died(`instance ${name} ended by itself with ${signal ?? code}`);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), start_ms);
    try {
      for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
        if (line.startsWith('listening on ')) return void child.stdout?.resume();
      }
      throw new Error(`Instance ${name} did not start: see its log in ${folder}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** It stays connected, and does nothing. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Sets its clock, until it is started again; 0 is the right time. */
  skew(ahead_ms: number): void {
    if (this.#child?.connected) this.#child.send({ ahead_ms });
  }
}
