import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import { type Ended, script } from '../shell.js';
import { cutAtMark, type Job } from './job.js';

const driver = fileURLToPath(new URL('./driver.js', import.meta.url));
const limit_ms = 60_000;

/** Where a command's output goes. */
export type Medium = 'pipe' | 'terminal';

/** Input that is typed once a text has appeared; `interrupt` is a Ctrl-C, or its signal, until the command has ended. */
export interface Reaction {
  at: RegExp;
  type: string;
}

/** Runs command lines in a process whose streams are pipes, or a terminal of its own (then all that it writes is `stdout`). */
export class Stage {
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly medium: Medium;
  #stdout = '';
  #stderr = '';

  private constructor(child: ChildProcess, socket: Socket, medium: Medium) {
    this.#child = child;
    this.#socket = socket;
    this.medium = medium;
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => (this.#stdout += piece));
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => (this.#stderr += piece));
  }

  /** Starts one, and ends it after the test. `folder` takes its socket. */
  static async open(t: Test, medium: Medium, folder: string): Promise<Stage> {
    const path = join(folder, `${medium}.sock`);
    const server: Server = createServer().listen(path);
    await once(server, 'listening');
    const child = start(medium, path, folder);
    t.teardown(async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      server.close();
    });
    const [socket] = (await once(server, 'connection', { signal: AbortSignal.timeout(limit_ms) })) as [Socket];
    return new Stage(child, socket, medium);
  }

  /** Runs one command line to its end. */
  async run(job: Job, reactions: readonly Reaction[] = []): Promise<Ended> {
    this.#stdout = '';
    this.#stderr = '';
    this.#socket.write(`${JSON.stringify(job)}\n`);
    try {
      let from = 0;
      for (const { at, type } of reactions) {
        from = await this.#shows(at, from);
        if (type === 'interrupt') await this.#interrupt();
        else this.#child.stdin?.write(type);
      }
      return (await until(
        () => this.#ended(),
        (ended) => ended !== undefined,
        limit_ms,
      )) as Ended;
    } catch (cause) {
      throw new Error(`On a ${this.medium} it did not end: ${job.args.join(' ')}\n${this.#stdout}${this.#stderr}`, { cause });
    }
  }

  /** Until it has ended: nobody sees when a command that is silent has begun. */
  async #interrupt(): Promise<void> {
    for (const end = Date.now() + limit_ms; this.#ended() === undefined && Date.now() < end; await pause(200)) {
      if (this.medium === 'terminal') this.#child.stdin?.write('\u0003');
      else this.#child.kill('SIGINT');
    }
  }

  /** Waits for a text, and tells where it ends; also where the command has ended without it. */
  async #shows(wanted: RegExp, from: number): Promise<number> {
    const place = () => {
      const found = wanted.exec(this.#stdout.slice(from));
      return found === null ? undefined : from + found.index + found[0].length;
    };
    await until(() => place() !== undefined || this.#ended() !== undefined, Boolean, limit_ms);
    return place() ?? from;
  }

  #ended(): Ended | undefined {
    const out = cutAtMark(this.#stdout);
    const fault = this.medium === 'pipe' ? cutAtMark(this.#stderr) : { output: '' };
    if (this.#child.exitCode !== null) throw new Error(`The process of the commands has ended: ${this.#stdout}${this.#stderr}`);
    return out && fault ? { code: out.code, stdout: out.output.replaceAll('\r\n', '\n'), stderr: fault.output } : undefined;
  }
}

function start(medium: Medium, socket: string, folder: string): ChildProcess {
  const options = { cwd: folder, env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' } };
  if (medium === 'pipe') return spawn(process.execPath, [driver, socket], options);
  // As wide as no table is, so that nothing is cut; without echo, so that what is typed is not taken for output.
  const line = `stty cols 2000 rows 40 -echo; exec '${process.execPath}' '${driver}' '${socket}'`;
  return spawn(script, ['-qfec', line, '/dev/null'], options);
}
