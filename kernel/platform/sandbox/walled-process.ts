import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import type { Command } from './command.js';
import { inheritedDescriptors } from './inherited.js';
import { Output } from './output.js';

export interface WalledProcessOptions {
  command: Command;
  /** Returns arguments of the program. `inherited` are descriptors that it should close. */
  arguments?: (inherited: readonly number[]) => readonly string[];
  /** Called with each line of its standard output. */
  stdout: (line: string) => void;
  stderr: (line: string) => void;
}

/** Exit of a process behind walls. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether it aborted because it was out of memory. */
  out_of_memory: boolean;
  /** Its last message about why it aborts. */
  abort_message: string | undefined;
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
const aborts: readonly unknown[] = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'] satisfies NodeJS.Signals[];

/** Returns whether a signal means that the process aborted. */
export function isAbort(signal: NodeJS.Signals | null): boolean {
  return aborts.includes(signal);
}

/** The async context of the program's start: no request, no transaction, no caller. */
export const outside = AsyncLocalStorage.snapshot();

/** A process that was started behind walls, with a pipe on its file descriptor 3. */
export class WalledProcess {
  readonly pipe: Duplex;
  readonly ended: Promise<ProcessEnd>;
  /** File descriptors that it inherited from the platform; it closes them before foreign code or input runs. */
  readonly inherited: readonly number[];
  readonly #child: ChildProcess;
  readonly #nested: boolean;
  /** Whether unshare has reported that its child was killed by a signal that it can't pass on. */
  #killed = false;
  #isOutOfMemory = false;
  #abortMessage: string | undefined;
  /** Kills the parent of a nested process if it doesn't end by itself. */
  #killTimer: NodeJS.Timeout | undefined;

  constructor({ command, arguments: more = () => [], stdout: output, stderr: errors }: WalledProcessOptions) {
    // Read synchronously before the start, so that no descriptor is closed and reused in between.
    this.inherited = inheritedDescriptors();
    this.#child = spawned(command, more(this.inherited));
    this.#nested = command.nested;
    const [, stdout, stderr, pipe] = this.#child.stdio as unknown as [null, Readable, Readable, Duplex];
    this.pipe = pipe;
    const outputs = [
      new Output(stdout, output),
      new Output(stderr, (line) => {
        if (outOfMemoryMessages.test(line)) this.#isOutOfMemory = true;
        this.#abortMessage = abortMessages.exec(line)?.[0] ?? this.#abortMessage;
        if (command.nested && childKilledMessage.test(line)) this.#killed = true;
        else errors(line);
      }),
    ];
    this.ended = this.#end(outputs);
  }

  /** PID of the program's own process on this machine; undefined if it is gone or has not started. */
  get pid(): number | undefined {
    const { pid } = this.#child;
    return pid !== undefined && this.#nested ? onlyChild(pid) : pid;
  }

  /**
   * Kills the program's own process first: its parent in the namespace then notices and ends itself. If the parent were killed
   * first, the child would be left to PID 1, which in a container may never reap it.
   */
  kill(): void {
    const pid = this.#nested ? this.pid : undefined;
    if (pid === undefined || !killed(pid)) this.#child.kill('SIGKILL');
    else this.#killTimer ??= setTimeout(() => this.#child.kill('SIGKILL'), end_limit_ms);
  }

  async #end(outputs: readonly Output[]): Promise<ProcessEnd> {
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
    const by = this.#killed ? 'SIGKILL' : signal;
    const memory = { out_of_memory: this.#isOutOfMemory, abort_message: this.#abortMessage };
    return { code: by === null ? code : null, signal: by, ...memory };
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

function spawned({ program, arguments: args }: Command, more: readonly string[]): ChildProcess {
  const child = spawn(program, [...args, ...more], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  // Reported below by the missing process id.
  child.on('error', () => {});
  if (child.pid === undefined) throw new Error(`The process could not be started with ${program}`);
  return child;
}
