import type { Log } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { captureContext } from '../../core/ambient.js';
import type { Command } from './command.js';
import { Heartbeat } from './heartbeat.js';
import { requests_bytes, requests_in_flight } from './limits.js';
import { Peer } from './peer.js';
import type { Incoming } from './responder.js';
import { writeThrownForPlugin } from './thrown.js';
import { isAbort, outside, type ProcessEnd, WalledProcess } from './walled-process.js';

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

/** A plugin's process and the connection to it. It counts as dead once its pipe has closed. */
export class PluginProcess {
  readonly peer: Peer;
  readonly exited: Promise<Exit>;
  readonly #name: string;
  readonly #process: WalledProcess;
  readonly #heartbeat: Heartbeat;
  #gone = false;
  readonly #memory_mb: number;
  #exitReason: { reason: string; expected: boolean } | undefined;

  /** Starts the process in a neutral async context, so that its own requests are not made in the name of the caller who caused the start. */
  static start(options: ProcessOptions): PluginProcess {
    return outside(() => new PluginProcess(options));
  }

  private constructor({ name, command, ping_every_ms, memory_mb, log, serve, notice, ended }: ProcessOptions) {
    this.#name = name;
    this.#memory_mb = memory_mb;
    this.#process = new WalledProcess({
      command,
      stdout: (line) => log.info(line, { stream: 'stdout' }),
      stderr: (line) => log.warn(line, { stream: 'stderr' }),
    });
    this.peer = new Peer(this.#process.pipe, {
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
    this.exited = this.#process.ended.then((end) => this.#exit(end));
    void this.exited.then(ended);
  }

  /** Whether its pipe has closed. */
  get gone(): boolean {
    return this.#gone;
  }

  /** File descriptors that it inherited from the platform; it closes them before the plugin's code runs. */
  get inherited(): readonly number[] {
    return this.#process.inherited;
  }

  /** PID of the plugin's own process on this machine; undefined if it is gone or has not started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Starts the heartbeat. */
  watch(): void {
    if (!this.#gone) this.#heartbeat.start();
  }

  /** Kills it and waits until it is gone. Without a reason, the extension is stopping. */
  async kill(reason?: string): Promise<void> {
    this.#exitReason ??= { reason: reason ?? 'it was stopped', expected: reason === undefined };
    this.#process.kill();
    await this.exited;
  }

  #closed(fault: string | undefined): Error {
    this.#gone = true;
    this.#heartbeat.stop();
    if (fault !== undefined) this.#exitReason ??= { reason: fault, expected: false };
    // A process may survive closing its pipe.
    this.#process.kill();
    return fail('extension_unavailable', `Extension '${this.#name}' is not available: ${this.#exitReason?.reason ?? 'its process ended'}`);
  }

  #exit(end: ProcessEnd): Exit {
    this.#heartbeat.stop();
    const { reason, expected } = this.#exitReason ?? { reason: this.#endOf(end), expected: false };
    return { reason, code: end.code, signal: end.signal, expected };
  }

  #endOf({ code, signal, out_of_memory, abort_message }: ProcessEnd): string {
    if (signal === null) return `its process ended with exit code ${code}`;
    if (!isAbort(signal)) return `its process was ended by ${signal}`;
    if (!out_of_memory) return `its process was ended by ${signal}${abort_message === undefined ? '' : ` (${abort_message})`}`;
    return `its process ran out of memory: its heap may have ${this.#memory_mb} MB (limits.memory_mb in its manifest)`;
  }
}
