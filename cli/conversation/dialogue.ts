import { isFailure } from '../../kernel/contract/failure.js';
import type { Context } from '../command.js';
import { report, UsageError } from '../exit.js';
import { remarkQuoted } from '../remark.js';
import type { Session } from '../session.js';
import { openStreamView } from '../stream-view.js';
import { cell } from '../table.js';
import { coloured } from '../terminal.js';
import type { Api } from './api.js';
import { type ColonCommand, parseColonCommand } from './colon-commands.js';
import type { Conversation } from './conversation.js';
import { LiveReply, type ReplySource } from './live-reply.js';
import { Prompt } from './prompt.js';

export interface DialogueParts {
  api: Api;
  session: Session;
  conversation: Conversation;
  context: Context;
  debug: boolean;
}

interface Message {
  sender_name: string;
  content: string;
}

/** Number of messages shown when a session is continued. */
const recent_messages = 6;

/** Runs a conversation on a terminal. */
export class Dialogue {
  readonly #parts: DialogueParts;
  readonly #prompt: Prompt;
  /** Sessions with work that waits for an approval. */
  readonly #waiting = new Set<string | undefined>();

  constructor(parts: DialogueParts) {
    this.#parts = parts;
    this.#prompt = new Prompt(parts.context.terminal, () => parts.context.interrupts.raise());
  }

  get api(): Api {
    return this.#parts.api;
  }

  get conversation(): Conversation {
    return this.#parts.conversation;
  }

  get terminal() {
    return this.#parts.context.terminal;
  }

  async run(): Promise<void> {
    const { signal } = this.#parts.context;
    // A signal from another process closes the prompt too.
    const ended = () => this.#prompt.close();
    signal.addEventListener('abort', ended, { once: true });
    try {
      await this.enter();
      this.say(':help lists what you can do here; Ctrl-D leaves');
      while (await this.#turn());
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', ended);
      this.#prompt.close();
      if (this.#waiting.size > 0) this.#parts.session.abandon();
    }
  }

  /** Shows the last messages of the session, and the reply in progress. */
  async enter(): Promise<void> {
    const { session, name } = this.conversation;
    this.say(`This is ${cell(name)}`);
    if (session === undefined) return;
    const messages = await this.api.call<Message[]>('messages.list', { session_id: session.id, limit: recent_messages });
    for (const message of messages) await this.#sayMessage(message);
    if (session.active_task_id !== null) await this.show({ task_id: session.active_task_id });
  }

  /** Writes a line to standard error, behind `head`; continuation lines are indented by its width. */
  say(line: string, head = ''): void {
    remarkQuoted(line, this.terminal, head);
  }

  async #sayMessage({ sender_name, content }: Message): Promise<void> {
    const { renderMarkdown } = await import('../../tui/markdown/render.js');
    const { stderr } = this.terminal;
    const lines = renderMarkdown(content, { width: stderr.columns || 80, color: stderr.isTTY === true && coloured(this.terminal) });
    this.say(`${cell(sender_name)}:`);
    stderr.write(lines.map((line) => `${line}\n`).join(''));
  }

  async show(source: ReplySource): Promise<void> {
    const { api, session, context } = this.#parts;
    const view = await openStreamView(api.textOf('messages.stream'), context.terminal);
    const end = await new LiveReply(source, { api, session, context, prompt: this.#prompt, view }).show();
    const { session_id } = this.conversation;
    if (end === 'left') this.#waiting.add(session_id);
    else this.#waiting.delete(session_id);
    if (session_id !== undefined) await api.call('unread.mark_read', { session_id });
    if (end === 'left' && session.way === 'direct') this.say('No server is running: pending work stops when you leave');
  }

  /** Reads and handles one message or command; returns false after the last one. */
  async #turn(): Promise<boolean> {
    const text = await this.#prompt.read();
    if (text === undefined) {
      this.say('');
      return false;
    }
    try {
      const colonCommand = parseColonCommand(text);
      if (colonCommand !== undefined) return await this.#run(colonCommand);
      if (text.trim() !== '' || this.conversation.attachments.length > 0) await this.#send(text);
    } catch (fault) {
      if (!isFailure(fault) && !(fault instanceof UsageError)) throw fault;
      report(fault, this.terminal, { debug: this.#parts.debug });
    }
    return true;
  }

  async #run({ command, rest }: { command: ColonCommand; rest: string }): Promise<boolean> {
    return (await command.run(this, rest)) !== 'leave';
  }

  async #send(text: string): Promise<void> {
    const { message_id, task_id } = await this.conversation.send(text, this.#parts.context.signal);
    if (task_id === null) this.say('Message sent; no AI employee answers in this conversation');
    else await this.show({ message_id });
  }
}
