import type { StreamEvent } from '../kernel/contract/operation.js';
import { roomNotice } from '../kernel/contract/room-rights.js';
import { ask, canAsk, forgetTyped } from './ask.js';
import { builtinCatalog } from './catalog.js';
import { ApprovalNeeded, Interrupted } from './exit.js';
import type { Session } from './session.js';
import { cell } from './table.js';
import type { Terminal } from './terminal.js';

interface Approval {
  id: string;
  name: string;
  /** Null in the stream of a room, whose members all read it. */
  input: unknown;
  status: string;
  decided_by_name: string | null;
  session_id: string;
  /** Title of the room whose members see the result; none outside of rooms. */
  room_title?: string | null;
}

export interface ApprovalsOptions {
  session: Session;
  terminal: Terminal;
  /** Limit of the wait for an approval that nobody can give here, in milliseconds; 0 fails at once. */
  wait_ms: number;
  /** Asks a person. Default: on the terminal, if there is one. */
  ask?: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Called if the person postpones the decision. Default: the stream keeps waiting. */
  later?: (() => void) | undefined;
  /** Writes a line of its own. */
  say: (line: string) => void;
  /** Called with the reason if the wait ends early: nobody can decide here, or the person leaves. */
  ended: (reason: unknown) => void;
}

/** Handles the approvals that a stream waits for: asks here, one after the other, or says how to give them elsewhere. */
export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #open = new Map<string, AbortController>();
  #asked: Promise<void> = Promise.resolve();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  take({ type, data }: StreamEvent): void {
    const { approval } = data as { approval?: Approval };
    if (approval === undefined) return;
    if (type === 'approval.required') this.#required(approval);
    else if (type === 'approval.resolved') this.#resolved(approval);
  }

  /** Withdraws all open questions. */
  close(): void {
    for (const waiting of this.#open.values()) waiting.abort();
    this.#open.clear();
  }

  #required(approval: Approval): void {
    const waiting = new AbortController();
    this.#open.set(approval.id, waiting);
    const { terminal, ask: customAsk } = this.#options;
    const askOnTerminal = async (text: string, signal: AbortSignal) => {
      await forgetTyped(terminal);
      return ask(text, terminal, signal);
    };
    const question = customAsk ?? (canAsk(terminal) ? askOnTerminal : undefined);
    if (question === undefined) this.#await(approval, waiting.signal);
    else this.#asked = this.#asked.then(() => this.#ask(approval, question, waiting.signal)).catch(this.#options.ended);
  }

  #resolved({ id, name, status, decided_by_name }: Approval): void {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    waiting?.abort();
    if (waiting) this.#options.say(`'${cell(name)}' is ${cell(status)}${decided_by_name === null ? '' : `, by ${cell(decided_by_name)}`}`);
  }

  async #ask(approval: Approval, question: NonNullable<ApprovalsOptions['ask']>, signal: AbortSignal): Promise<void> {
    for (const line of await this.#description(approval)) this.#options.say(line);
    while (!signal.aborted) {
      const answer = (await question('Allow it? [y/n/later] ', signal).catch(unlessAborted(signal))).trim().toLowerCase();
      if (signal.aborted) return;
      if (/^(y|yes)$/.test(answer)) return this.#decide(approval, 'approve');
      if (/^(n|no)$/.test(answer)) return this.#decide(approval, 'deny');
      if (/^(l|later)?$/.test(answer)) return this.#leave(approval);
    }
  }

  /** Describes what is asked for. Reads the input if the stream hides it. */
  async #description({ id, name, input, session_id, room_title }: Approval): Promise<string[]> {
    const notice = typeof room_title === 'string' ? [roomNotice({ session_id: cell(session_id), title: cell(room_title) })] : [];
    return [`Approval needed: '${cell(name)}' with ${cell(input ?? (await this.#inputOf(id)))}`, ...notice];
  }

  async #inputOf(id: string): Promise<unknown> {
    const operation = builtinCatalog().operations['approvals.get'];
    if (operation === undefined) return null;
    const { body } = await this.#options.session.transport.call({ id: 'approvals.get', operation, input: { id }, options: {} });
    return (body as Approval).input;
  }

  #leave(approval: Approval): void {
    this.#options.say(elsewhere(approval));
    this.#options.later?.();
  }

  async #decide({ id }: Approval, decision: 'approve' | 'deny'): Promise<void> {
    const operation = builtinCatalog().operations['approvals.decide'];
    if (operation === undefined) return;
    await this.#options.session.transport.call({ id: 'approvals.decide', operation, input: { id, decision }, options: {} });
  }

  #await(approval: Approval, signal: AbortSignal): void {
    const { wait_ms, say, ended, session } = this.#options;
    const reason = wait_ms === 0 ? 'and nobody can be asked here' : 'and nobody decided in time';
    const needed = () => ended(new ApprovalNeeded(`'${cell(approval.name)}' needs approval, ${reason}`, hintOf(approval, session)));
    if (wait_ms > 0) say(elsewhere(approval));
    const timer = setTimeout(needed, wait_ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }
}

function elsewhere({ id, name }: Approval): string {
  return `'${cell(name)}' waits for approval. On another terminal:\nplatform approvals decide ${cell(id)} approve`;
}

function hintOf({ id }: Approval, { way }: Session): string {
  if (way === 'direct') return 'the work stopped with this process; run it on a terminal, or start a server with: platform serve';
  return `approve it with: platform approvals decide ${cell(id)} approve; to wait for the approval here, add --wait 10m`;
}

function unlessAborted(signal: AbortSignal): (fault: unknown) => string {
  return (fault) => {
    if (!signal.aborted || fault instanceof Interrupted) throw fault;
    return '';
  };
}
