import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../helpers/eventually.js';
import { adminPassword, temporaryFolder } from '../helpers/platform.js';

/** Program of util-linux that gives a command its own terminal. */
export const script = '/usr/bin/script';
export const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** How a command ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command that runs. */
export class Running {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (piece: Buffer) => (this.stdout += piece.toString()));
    child.stderr?.on('data', (piece: Buffer) => (this.stderr += piece.toString()));
    this.ended = once(child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }));
  }

  /** Waits until standard output has that text. */
  async shows(wanted: string | RegExp): Promise<void> {
    const ended = this.ended.then(() => true);
    const seen = () => (typeof wanted === 'string' ? this.stdout.includes(wanted) : wanted.test(this.stdout));
    const over = await Promise.race([ended, until(seen, Boolean, 60_000)]);
    if (over && !seen()) throw new Error(`It ended without ${String(wanted)}: ${this.stdout}${this.stderr}`);
  }

  /** Types into its standard input. */
  type(text: string): void {
    this.child.stdin?.write(text);
  }
}

/** A place to run commands in: its own home, its own data folder. */
export class Shell {
  readonly data_dir: string;
  readonly env: Record<string, string>;
  readonly #program: string;

  /** `program` is this build's, or an installed one. */
  constructor(folder: string, env: Record<string, string> = {}, program: string = main) {
    this.#program = program;
    this.data_dir = `${folder}/data`;
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: `${folder}/config`,
      PLATFORM_DATA_DIR: this.data_dir,
      PLATFORM_ADMIN_PASSWORD: adminPassword,
      PLATFORM_PORT: '0',
      ...env,
    };
  }

  /** The same place with other variables; empty ones count as not set. */
  with(env: Record<string, string>): Shell {
    return new Shell(this.env.HOME ?? '', { ...this.env, ...env }, this.#program);
  }

  start(args: readonly string[]): Running {
    return new Running(spawn(process.execPath, [this.#program, ...args], { env: this.env, cwd: this.env.HOME }));
  }

  /** Runs a command in a pipe. */
  async run(args: readonly string[], input = ''): Promise<Ended> {
    const running = this.start(args);
    running.child.stdin?.end(input);
    return running.ended;
  }

  /** Starts a command on a terminal of its own; what it writes comes on standard output, as on a screen. */
  terminal(args: readonly string[], env: Record<string, string> = {}): Running {
    const words = [process.execPath, this.#program, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
    const options = ['-qfec', `stty cols 100 rows 40; exec ${words.join(' ')}`, '/dev/null'];
    return new Running(spawn(script, options, { env: { TERM: 'xterm', SHELL: '/bin/sh', ...this.env, ...env }, cwd: this.env.HOME }));
  }

  /** Makes an installation, on which no server runs. */
  async install(): Promise<this> {
    const running = this.start(['serve']);
    await running.shows(/listening on \S+\n/);
    running.child.kill('SIGTERM');
    await running.ended;
    return this;
  }

  /** Starts a server, and ends it after the test. */
  async serve(t: Test, args: readonly string[] = []): Promise<Running & { url: string }> {
    // As if started through npm: it ends with the test's process, however that ends.
    const running = this.with({ npm_command: 'test' }).start(['serve', ...args]);
    t.teardown(async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    });
    await running.shows(/listening on \S+\n/);
    return Object.assign(running, { url: /listening on (\S+)/.exec(running.stdout)?.[1] ?? '' });
  }
}

/** A shell in a temporary folder. */
export async function shellFor(t: Test, env: Record<string, string> = {}): Promise<Shell> {
  return new Shell(await temporaryFolder(t), env);
}

/** For the tests' `skip`. */
export const withoutTerminal = existsSync(script) && process.platform === 'linux' ? false : 'needs script';
