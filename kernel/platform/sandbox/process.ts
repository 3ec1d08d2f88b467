import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import type { Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { kept } from '../../core/ambient.js';
import type { Incoming } from './answerer.js';
import type { Command } from './command.js';
import { Heartbeat } from './heartbeat.js';
import { inheritedDescriptors } from './inherited.js';
import { requests_bytes, requests_in_flight } from './limits.js';
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
  /** Of its heap. */
  memory_mb: number;
  log: Log;
  serve: (request: Incoming) => unknown;
  notice: (method: string, params: unknown, bytes: number) => boolean;
  /** Told once, when the process is gone. */
  ended: (exit: Exit) => void;
}

/** After a process is gone, what it wrote is read for so long. */
const drain_limit_ms = 2_000;
const end_limit_ms = 1_000;

/** How unshare(1) says that its child was killed: it ends by the signal that its child ended by, but for this one it can't. */
const killedBelow = /^unshare: sig\w+ .*failed: /;

/** What Node, V8 and the C++ library say before they end the process by `abort`, which in a pid namespace reads SIGSEGV. */
const lastWords = /((Assertion|Check) (failed: |.{1,200} failed)|FATAL ERROR: |terminate called ).{0,200}/;
/** Where there is no more memory. */
const memoryEnds = /out of memory|std::bad_alloc/;
const faults: readonly unknown[] = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'] satisfies NodeJS.Signals[];

/** The surroundings at the program's start: no request, no transaction, nobody's caller. */
const outside = AsyncLocalStorage.snapshot();

/** A plugin's process and the conversation with it. Dead means that its pipe has closed. */
export class PluginProcess {
  readonly peer: Peer;
  readonly exited: Promise<Exit>;
  /** File descriptors that it inherited from the platform; it closes them before the plugin's code runs. */
  readonly inherited: readonly number[];
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #nested: boolean;
  readonly #heartbeat: Heartbeat;
  #gone = false;
  /** What waits for the process has told that a signal ended it which can't be passed on. */
  #killed = false;
  /** It has said that there is no more memory. */
  #isFull = false;
  /** What it said last that tells why it ends itself. */
  #lastWords: string | undefined;
  readonly #memory_mb: number;
  /** Ends what waits for the process, where it doesn't end by itself. */
  #late: NodeJS.Timeout | undefined;
  #why: { reason: string; expected: boolean } | undefined;

  /** Apart from whoever causes the start, so that what it asks by itself is not asked in that one's name. */
  static start(options: ProcessOptions): PluginProcess {
    return outside(() => new PluginProcess(options));
  }

  private constructor({ name, command, ping_every_ms, memory_mb, log, serve, notice, ended }: ProcessOptions) {
    this.#name = name;
    this.#memory_mb = memory_mb;
    // Read synchronously before the start, so that no descriptor is closed and reused in between.
    this.inherited = inheritedDescriptors();
    this.#child = spawned(command);
    this.#nested = command.nested;
    const [, stdout, stderr, pipe] = this.#child.stdio as unknown as [null, Readable, Readable, Duplex];
    const outputs = [
      new Output(stdout, (line) => log.info(line, { stream: 'stdout' })),
      new Output(stderr, (line) => {
        if (memoryEnds.test(line)) this.#isFull = true;
        this.#lastWords = lastWords.exec(line)?.[0] ?? this.#lastWords;
        if (command.nested && killedBelow.test(line)) this.#killed = true;
        else log.warn(line, { stream: 'stderr' });
      }),
    ];
    this.peer = new Peer(pipe, {
      serve,
      notice,
      surroundings: ({ within }) => this.peer.runnerOf(within) ?? outside,
      keep: kept,
      write: writeThrownForPlugin,
      accepts: requests_in_flight,
      accepts_bytes: requests_bytes,
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

  /** The plugin's own process, as this machine counts it; undefined where it is gone or has not begun. */
  get pid(): number | undefined {
    const { pid } = this.#child;
    return pid !== undefined && this.#nested ? onlyChild(pid) : pid;
  }

  /** From now on it must answer pings. */
  watch(): void {
    if (!this.#gone) this.#heartbeat.start();
  }

  /** Ends it at once, and waits until it is gone. Without a reason: because the extension stops. */
  async kill(reason?: string): Promise<void> {
    this.#why ??= { reason: reason ?? 'it was stopped', expected: reason === undefined };
    this.#end();
    await this.exited;
  }

  #closed(fault: string | undefined): Error {
    this.#gone = true;
    this.#heartbeat.stop();
    if (fault !== undefined) this.#why ??= { reason: fault, expected: false };
    // A process that has closed its pipe may live on.
    this.#end();
    return fail('extension_unavailable', `Extension '${this.#name}' is not available: ${this.#why?.reason ?? 'its process ended'}`);
  }

  /**
   * The plugin's own process first: what waits for it in the namespace's place then takes notice of its end and ends itself.
   * Killed first, that one would leave it to whoever is the first process here, which in a container may never look.
   */
  #end(): void {
    const pid = this.#nested ? this.pid : undefined;
    if (pid === undefined || !killed(pid)) this.#child.kill('SIGKILL');
    else this.#late ??= setTimeout(() => this.#child.kill('SIGKILL'), end_limit_ms);
  }

  async #exit(outputs: readonly Output[]): Promise<Exit> {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#child.once('exit', (...how) => {
        clearTimeout(this.#late);
        for (const output of outputs) output.flush();
        const timer = setTimeout(resolve, drain_limit_ms, how);
        this.#child.once('close', () => {
          clearTimeout(timer);
          resolve(how);
        });
      });
    });
    this.#heartbeat.stop();
    const by = this.#killed ? 'SIGKILL' : signal;
    const { reason, expected } = this.#why ?? { reason: this.#endOf(code, by), expected: false };
    return { reason, code: by === null ? code : null, signal: by, expected };
  }

  #endOf(code: number | null, signal: NodeJS.Signals | null): string {
    if (signal === null) return `its process ended with exit code ${code}`;
    if (!faults.includes(signal)) return `its process was ended by ${signal}`;
    if (!this.#isFull) return `its process was ended by ${signal}${this.#lastWords === undefined ? '' : ` (${this.#lastWords})`}`;
    return `its process ran out of memory: its heap may have ${this.#memory_mb} MB (limits.memory_mb in its manifest)`;
  }
}

/** False where there is nothing to kill. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function onlyChild(pid: number): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function spawned({ program, arguments: given }: Command): ChildProcess {
  const child = spawn(program, [...given], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // Told by the missing process id.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`The process could not be started with ${program}`);
  return child;
}
