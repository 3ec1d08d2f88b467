import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../../kernel/contract/index.js';
import type { Flow } from './flow.js';
import type { ProgramSettings } from './settings.js';

/** What one line may have, in bytes. */
const max_line_length = 4 * 1024 * 1024;

/** Cuts bytes into lines. Fails where a line has no end in sight. */
class Lines {
  #parts: Buffer[] = [];
  #size = 0;

  /** The lines that are whole now. */
  *add(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      yield Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > max_line_length) throw new Error(`it sent a message of more than ${max_line_length} bytes`);
    if (part.length > 0) this.#parts.push(part);
  }
}

/** What programs need to run; nothing else of the platform's own environment reaches them. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR'];
/** A program that is told to end by the end of its input has this long. */
const ending_ms = 1_000;
/** What may wait for a program that doesn't read. */
const max_unread = 8 * 1024 * 1024;
/** Lines of its standard error that are logged, for each start. */
const max_logged = 50;

interface ProgramOptions {
  settings: ProgramSettings;
  log: Log;
  /** Checks each message that it sends. */
  parse: (line: string) => JSONRPCMessage[];
  flow: Flow;
}

/**
 * An MCP server as a program of its own, by one line a message. The SDK's own transport knows only the program
 * itself; this one is the leader of a group, so that nothing that it started outlives it.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ProgramOptions;
  #child: ChildProcess | undefined;
  #gone: Promise<unknown> = Promise.resolve();
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
    this.#gone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    void this.#gone.then(() => this.#end());
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input || this.#ended) throw new Error('its program is not running');
    if (input.writableLength > max_unread) throw new Error('its program does not read what it is sent');
    input.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the program and all that it started. One that has ended already is left alone: its number may be another's now. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#child?.stdin?.end();
    await Promise.race([this.#gone, sleep(ending_ms, undefined, { ref: false })]);
    this.#kill();
    this.#end();
  }

  #environment(): NodeJS.ProcessEnv {
    const own = inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
    return { ...Object.fromEntries(own), ...this.#options.settings.env };
  }

  #read(output: Readable): void {
    const lines = new Lines();
    output.on('data', (chunk: Buffer) => {
      try {
        this.#options.flow.count(chunk.length);
        for (const line of lines.add(chunk)) this.#take(line);
      } catch (fault) {
        output.destroy();
        this.#kill();
        this.onerror?.(fault as Error);
      }
    });
  }

  #take(line: string): void {
    if (this.#ended || line.trim() === '') return;
    let messages: JSONRPCMessage[];
    try {
      messages = this.#options.parse(line.replace(/^\ufeff/, ''));
    } catch {
      // Some print greetings there.
      this.onerror?.(new Error(`it sent a line that is no message: ${line.slice(0, 200)}`));
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
      // All of them are gone.
    }
  }

  #end(): void {
    if (this.#ended) return;
    // What the program leaves behind is nobody's any more.
    this.#kill();
    this.#ended = true;
    this.onclose?.();
  }
}
