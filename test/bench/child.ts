import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { forked } from './forked.js';
import { message } from './message.js';

/** A process of a benchmark, which answers each message with one of its own. */
export class Child {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /** Starts a program of this folder; gives what it sends first. `flags` are Node's; default: those of this process. */
  static async start<Ready>(file: string, args?: readonly string[], flags?: readonly string[]): Promise<{ child: Child; ready: Ready }> {
    const child = new Child(forked(file, args, flags));
    return { child, ready: await child.hear<Ready>() };
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  async ask<Answer>(order: object | string): Promise<Answer> {
    this.#process.send(order);
    return this.hear<Answer>();
  }

  /** Returns the next message that it sends unasked. */
  async hear<Message>(): Promise<Message> {
    return (await message(this.#process))[0] as Message;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
  }

  /** At once, and with nothing told. */
  async kill(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}
