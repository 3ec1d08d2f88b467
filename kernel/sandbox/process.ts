import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import type { Log } from '../contract/extension.js';
import { fail } from '../contract/failure.js';
import type { Incoming } from './answerer.js';
import type { Runner } from './asker.js';
import type { Command } from './command.js';
import { Heartbeat } from './heartbeat.js';
import { requests_in_flight } from './limits.js';
import { Output } from './output.js';
import { Peer } from './peer.js';
import { writeThrownForPlugin } from './thrown.js';

/** How a plugin's process ended. */
export interface Exit {
  /** Why: `its process ended with exit code 7`. */
  reason: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether the platform ended it because the extension stopped. */
  expected: boolean;
}

export interface ProcessOptions {
  name: string;
  command: Command;
  ping_every_ms: number;
  log: Log;
  serve: (request: Incoming) => unknown;
  notice: (method: string, params: unknown) => boolean;
  /** Told once, when the process is gone. */
  ended: (exit: Exit) => void;
}

/** After a process is gone, what it wrote is read for so long. */
const drain_limit_ms = 2_000;

/** The surroundings at the program's start: no request, no transaction, nobody's caller. */
const outside = AsyncLocalStorage.snapshot();

/** Those of the code that runs now; cheaper than a snapshot, which is made to be called as a function. */
function surroundings(): Runner {
  const resource = new AsyncResource('PluginRequest', { requireManualDestroy: true });
  return (work) => resource.runInAsyncScope(work);
}

/** A plugin's process and the conversation with it. Dead means that its pipe has closed. */
export class PluginProcess {
  readonly peer: Peer;
  readonly exited: Promise<Exit>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #heartbeat: Heartbeat;
  #gone = false;
  #why: { reason: string; expected: boolean } | undefined;

  /** Apart from whoever causes the start, so that what it asks by itself is not asked in that one's name. */
  static start(options: ProcessOptions): PluginProcess {
    return outside(() => new PluginProcess(options));
  }

  private constructor({ name, command, ping_every_ms, log, serve, notice, ended }: ProcessOptions) {
    this.#name = name;
    this.#child = spawned(command);
    const [, stdout, stderr, pipe] = this.#child.stdio as unknown as [null, Readable, Readable, Duplex];
    const outputs = [
      new Output(stdout, (line) => log.info(line, { stream: 'stdout' })),
      new Output(stderr, (line) => log.warn(line, { stream: 'stderr' })),
    ];
    this.peer = new Peer(pipe, {
      serve,
      notice,
      surroundings: ({ within }) => this.peer.runnerOf(within) ?? outside,
      keep: surroundings,
      write: writeThrownForPlugin,
      accepts: requests_in_flight,
      closed: (fault) => this.#closed(fault),
    });
    this.#heartbeat = new Heartbeat({
      every_ms: ping_every_ms,
      ping: (answered) => this.peer.ping(answered),
      dead: () => void this.kill('its process did not answer'),
    });
    this.exited = this.#exit(outputs);
    void this.exited.then(ended);
  }

  /** Whether its pipe has closed. */
  get gone(): boolean {
    return this.#gone;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** From now on it must answer pings. */
  watch(): void {
    if (!this.#gone) this.#heartbeat.start();
  }

  /** Ends it at once, and waits until it is gone. Without a reason: because the extension stops. */
  async kill(reason?: string): Promise<void> {
    this.#why ??= { reason: reason ?? 'it was stopped', expected: reason === undefined };
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  #closed(fault: string | undefined): Error {
    this.#gone = true;
    this.#heartbeat.stop();
    if (fault !== undefined) this.#why ??= { reason: fault, expected: false };
    // A process that has closed its pipe may live on.
    this.#child.kill('SIGKILL');
    return fail('extension_unavailable', `Extension '${this.#name}' is not available: ${this.#why?.reason ?? 'its process ended'}`);
  }

  async #exit(outputs: readonly Output[]): Promise<Exit> {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#child.once('exit', (...how) => {
        for (const output of outputs) output.flush();
        const timer = setTimeout(resolve, drain_limit_ms, how);
        this.#child.once('close', () => {
          clearTimeout(timer);
          resolve(how);
        });
      });
    });
    this.#heartbeat.stop();
    const { reason, expected } = this.#why ?? { reason: endOf(code, signal), expected: false };
    return { reason, code, signal, expected };
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `its process ended with exit code ${code}` : `its process was ended by ${signal}`;
}

function spawned({ program, arguments: given }: Command): ChildProcess {
  const child = spawn(program, [...given], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // Told by the missing process id.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`The process could not be started with ${program}`);
  return child;
}
