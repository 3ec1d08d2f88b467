import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import type { Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { captureContext } from '../../core/ambient.js';
import type { Command } from './command.js';
import { Heartbeat } from './heartbeat.js';
import { inheritedDescriptors } from './inherited.js';
import { requests_bytes, requests_in_flight } from './limits.js';
import { Output } from './output.js';
import { Peer } from './peer.js';
import type { Incoming } from './responder.js';
import { writeThrownForPlugin } from './thrown.js';

/** Exit of a plugin's process. */
export interface Exit {
  /** Reason for people: `its process ended with exit code 7`. */
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
  /** Limit of its heap. */
  memory_mb: number;
  log: Log;
  serve: (request: Incoming) => unknown;
  notice: (method: string, params: unknown, bytes: number) => boolean;
  /** Called once, when the process is gone. */
  ended: (exit: Exit) => void;
}

/** Limit of reading the output of a process after its end. */
const drain_limit_ms = 2_000;
const end_limit_ms = 1_000;

/** Message of unshare(1) if its child was killed: it ends with its child's signal, but can't do so for SIGKILL. */
const childKilledMessage = /^unshare: sig\w+ .*failed: /;

/** Messages of Node, V8 and the C++ library before they `abort` the process, which in a pid namespace appears as SIGSEGV. */
const abortMessages = /((Assertion|Check) (failed: |.{1,200} failed)|FATAL ERROR: |terminate called ).{0,200}/;
/** Messages that mean out of memory. */
const outOfMemoryMessages = /out of memory|std::bad_alloc/;
const faults: readonly unknown[] = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'] satisfies NodeJS.Signals[];

/** The async context of the program's start: no request, no transaction, no caller. */
const outside = AsyncLocalStorage.snapshot();

/** A plugin's process and the connection to it. It counts as dead once its pipe has closed. */
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
  /** Whether unshare has reported that its child was killed by a signal that it can't pass on. */
  #killed = false;
  /** Whether it has reported that it is out of memory. */
  #isOutOfMemory = false;
  /** Its last message about why it aborts. */
  #abortMessage: string | undefined;
  readonly #memory_mb: number;
  /** Kills the parent of a nested process if it doesn't end by itself. */
  #killTimer: NodeJS.Timeout | undefined;
  #exitReason: { reason: string; expected: boolean } | undefined;

  /** Starts the process in a neutral async context, so that its own requests are not made in the name of the caller who caused the start. */
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
        if (outOfMemoryMessages.test(line)) this.#isOutOfMemory = true;
        this.#abortMessage = abortMessages.exec(line)?.[0] ?? this.#abortMessage;
        if (command.nested && childKilledMessage.test(line)) this.#killed = true;
        else log.warn(line, { stream: 'stderr' });
      }),
    ];
    this.peer = new Peer(pipe, {
      serve,
      notice,
      contextOf: ({ within }) => this.peer.runnerOf(within) ?? outside,
      captureContext,
      write: writeThrownForPlugin,
      max_requests: requests_in_flight,
      max_request_bytes: requests_bytes,
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

  /** PID of the plugin's own process on this machine; undefined if it is gone or has not started. */
  get pid(): number | undefined {
    const { pid } = this.#child;
    return pid !== undefined && this.#nested ? onlyChild(pid) : pid;
  }

  /** Starts the heartbeat. */
  watch(): void {
    if (!this.#gone) this.#heartbeat.start();
  }

  /** Kills it and waits until it is gone. Without a reason, the extension is stopping. */
  async kill(reason?: string): Promise<void> {
    this.#exitReason ??= { reason: reason ?? 'it was stopped', expected: reason === undefined };
    this.#end();
    await this.exited;
  }

  #closed(fault: string | undefined): Error {
    this.#gone = true;
    this.#heartbeat.stop();
    if (fault !== undefined) this.#exitReason ??= { reason: fault, expected: false };
    // A process may survive closing its pipe.
    this.#end();
    return fail('extension_unavailable', `Extension '${this.#name}' is not available: ${this.#exitReason?.reason ?? 'its process ended'}`);
  }

  /**
   * Kills the plugin's own process first: its parent in the namespace then notices and ends itself. If the parent were killed
   * first, the child would be left to PID 1, which in a container may never reap it.
   */
  #end(): void {
    const pid = this.#nested ? this.pid : undefined;
    if (pid === undefined || !killed(pid)) this.#child.kill('SIGKILL');
    else this.#killTimer ??= setTimeout(() => this.#child.kill('SIGKILL'), end_limit_ms);
  }

  async #exit(outputs: readonly Output[]): Promise<Exit> {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.#child.once('exit', (...how) => {
        clearTimeout(this.#killTimer);
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
    const { reason, expected } = this.#exitReason ?? { reason: this.#endOf(code, by), expected: false };
    return { reason, code: by === null ? code : null, signal: by, expected };
  }

  #endOf(code: number | null, signal: NodeJS.Signals | null): string {
    if (signal === null) return `its process ended with exit code ${code}`;
    if (!faults.includes(signal)) return `its process was ended by ${signal}`;
    if (!this.#isOutOfMemory)
      return `its process was ended by ${signal}${this.#abortMessage === undefined ? '' : ` (${this.#abortMessage})`}`;
    return `its process ran out of memory: its heap may have ${this.#memory_mb} MB (limits.memory_mb in its manifest)`;
  }
}

/** Kills a process; returns false if there is none. */
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

function spawned({ program, arguments: args }: Command): ChildProcess {
  const child = spawn(program, [...args], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // Reported below by the missing process id.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`The process could not be started with ${program}`);
  return child;
}
