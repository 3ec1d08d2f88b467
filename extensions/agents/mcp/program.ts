import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../../kernel/contract/index.js';
import type { ReceiveBudget } from './receive-budget.js';
import type { ProgramSettings } from './settings.js';

/** Limit of one line, in bytes. */
const max_line_length = 4 * 1024 * 1024;

/** Splits bytes into lines. Fails if a line exceeds the limit. */
class Lines {
  #parts: Buffer[] = [];
  #size = 0;

  /** Yields the lines that are complete. */
  *add(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#append(chunk.subarray(start, end));
      yield Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  #append(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > max_line_length) throw new Error(`it sent a message of more than ${max_line_length} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}

/** Environment variables that programs need; nothing else of the platform's environment reaches them. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'];
/** Grace period for a program to exit after the end of its input. */
const ending_ms = 1_000;
/** Limit of unsent bytes for a program that doesn't read. */
const max_unsent = 8 * 1024 * 1024;
/** Limit of logged chunks of standard error, for each start. */
const max_logged = 50;

interface ProgramOptions {
  settings: ProgramSettings;
  log: Log;
  /** Validates each message that the program sends. */
  parse: (line: string) => JSONRPCMessage[];
  budget: ReceiveBudget;
}

/**
 * Runs an MCP server as a child process, one message a line. The SDK's own transport kills only the program itself;
 * this one makes it the leader of a process group, so that no descendant outlives it.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, args } = this.#options.settings;
    const child = spawn(command, [...args], { detached: true, env: this.#environment(), stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    const [input, output, errors] = child.stdio as unknown as [Writable, Readable, Readable];
    input.on('error', () => undefined);
    child.on('error', () => undefined);
    this.#read(output);
    this.#report(errors);
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void this.#exited.then(() => this.#end());
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input || this.#ended) throw new Error('the program is not running');
    if (input.writableLength > max_unsent) throw new Error('the program does not read its input');
    input.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the program and everything it started. A program that has exited is left alone: its PID may be reused. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#child?.stdin?.end();
    await Promise.race([this.#exited, sleep(ending_ms, undefined, { ref: false })]);
    this.#kill();
    this.#end();
  }

  #environment(): NodeJS.ProcessEnv {
    const environment = inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    return { ...Object.fromEntries(environment), ...this.#options.settings.env };
  }

  #read(output: Readable): void {
    const lines = new Lines();
    output.on('data', (chunk: Buffer) => {
      try {
        this.#options.budget.count(chunk.length);
        for (const line of lines.add(chunk)) this.#receive(line);
      } catch (fault) {
        output.destroy();
        this.#kill();
        this.onerror?.(fault as Error);
      }
    });
  }

  #receive(line: string): void {
    if (this.#ended || line.trim() === '') return;
    let messages: JSONRPCMessage[];
    try {
      messages = this.#options.parse(line.replace(/^\ufeff/, ''));
    } catch {
      // Some programs print greetings to standard output.
      this.onerror?.(new Error(`it sent a line that is not a message: ${line.slice(0, 200)}`));
      return;
    }
    for (const message of messages) this.onmessage?.(message);
  }

  #report(errors: Readable): void {
    let logged = 0;
    errors.on('data', (chunk: Buffer) => {
      if (++logged <= max_logged)
        this.#options.log.debug(`MCP server '${this.#options.settings.name}': ${chunk.toString().slice(0, 2_000)}`);
    });
  }

  #kill(): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined || this.#ended) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The whole group has exited.
    }
  }

  #end(): void {
    if (this.#ended) return;
    // Kill processes that the program left behind.
    this.#kill();
    this.#ended = true;
    this.onclose?.();
  }
}
