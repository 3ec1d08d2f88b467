import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '../../kernel/contract/failure.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';
import { Approvals } from '../approvals.js';
import type { Context } from '../command.js';
import { connectionLost, throwFailed } from '../follow.js';
import type { Session } from '../session.js';
import type { StreamView } from '../stream-view.js';
import { harmless } from '../terminal.js';
import type { Api } from './api.js';
import type { Prompt } from './prompt.js';

/** Identifies a reply by the message that it answers, or by the task that writes it. */
export type ReplySource = { message_id: string } | { task_id: string };

export interface LiveReplyParts {
  api: Api;
  session: Session;
  context: Context;
  prompt: Prompt;
  view: StreamView;
}

const retry_ms = 2_000;
/** Limit of reconnecting: after this time the server is assumed not to come back by itself. */
const give_up_ms = 10 * 60_000;

/** Shows a reply on a terminal as it is written: Ctrl-C stops it, approvals are asked for, a lost connection is retried. */
export class LiveReply {
  readonly #parts: LiveReplyParts;
  readonly #source: ReplySource;
  readonly #view: StreamView;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  #isLeft = false;
  #isStopping = false;

  constructor(source: ReplySource, parts: LiveReplyParts) {
    this.#source = source;
    this.#parts = parts;
    this.#view = parts.view;
    this.#signal = AbortSignal.any([parts.context.signal, this.#ending.signal]);
  }

  /** Follows the reply until it ends or is left waiting for an approval. Throws the reply's failure. */
  async show(): Promise<'ended' | 'left'> {
    const { session, context, prompt } = this.#parts;
    const approvals = new Approvals({
      session,
      terminal: context.terminal,
      wait_ms: 0,
      ask: (question, signal) => prompt.ask(question, signal),
      later: () => this.#leave(),
      say: (line) => this.#view.line(line),
      ended: (reason) => this.#ending.abort(reason),
    });
    const release = context.interrupts.handle(() => this.#interrupted());
    try {
      for await (const event of this.#events()) {
        this.#view.take(event);
        throwFailed(event);
        approvals.take(event);
      }
    } finally {
      release();
      approvals.close();
      this.#view.end();
    }
    if (this.#signal.aborted && !this.#isLeft) throw this.#signal.reason;
    return this.#isLeft ? 'left' : 'ended';
  }

  /** Yields all events; reconnects after a lost connection. */
  async *#events(): AsyncGenerator<StreamEvent> {
    const id = 'task_id' in this.#source ? 'tasks.stream' : 'messages.stream';
    let after: string | undefined;
    let lost_at: number | undefined;
    for (;;) {
      try {
        for await (const event of this.#parts.api.stream(id, { ...this.#source, ...(after && { after }) }, this.#signal)) {
          after = event.id ?? after;
          lost_at = undefined;
          yield event;
        }
        return;
      } catch (fault) {
        if (this.#signal.aborted) return;
        if (!isFailure(fault) || !connectionLost.has(fault.code)) throw fault;
        if (lost_at === undefined) this.#view.line(`${harmless(fault.message)}; retrying, press Ctrl-C twice to give up`);
        lost_at ??= Date.now();
        if (Date.now() - lost_at > give_up_ms) throw fault;
        await sleep(retry_ms, undefined, { signal: this.#signal }).catch(() => undefined);
        if (this.#signal.aborted) return;
      }
    }
  }

  #leave(): void {
    this.#isLeft = true;
    this.#ending.abort();
  }

  /** Stops the reply; a second Ctrl-C ends the conversation. */
  #interrupted(): void {
    if (this.#isStopping) this.#parts.context.interrupts.end();
    else void this.#stop();
    this.#isStopping = true;
  }

  async #stop(): Promise<void> {
    this.#view.line('Stopping the reply; press Ctrl-C again to leave');
    const { api } = this.#parts;
    try {
      await ('task_id' in this.#source ? api.call('tasks.cancel', this.#source) : api.call('chat.abort', this.#source));
    } catch (fault) {
      this.#view.line(harmless(fault instanceof Error ? fault.message : String(fault)));
    }
  }
}
