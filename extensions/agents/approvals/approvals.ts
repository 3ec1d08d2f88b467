import { randomUUID } from 'node:crypto';
import { type Tool, untilAborted } from '../../../kernel/contract/index.js';
import type { Run } from '../../chat/contract.js';
import type { Approval } from '../contract.js';
import type { Parts } from './parts.js';

type Dependencies = Pick<Parts, 'store' | 'waiting' | 'announcer' | 'db' | 'clock' | 'instance' | 'participants' | 'emit'>;

/** Tool call that a run wants to make. */
export interface ToolRequest {
  tool: Tool;
  input: object;
  tool_call_id: string;
}

const expire_ms = 24 * 3_600_000;
/** Limit of an input, in characters of JSON. A person reviews all of it at once, and an event of the reply contains it. */
const max_input_length = 16_000;
const inputTooLong = `The input is longer than ${max_input_length} characters, so no person can see all of what they would approve. Do it in smaller parts.`;

/** Asks people to approve tool calls of a run. */
export class Approvals {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Requests approval. Returns the reason for a refusal, or undefined if the call is approved. */
  async permit(run: Run, request: ToolRequest, signal: AbortSignal): Promise<string | undefined> {
    if (JSON.stringify(request.input).length > max_input_length) return inputTooLong;
    const approval = await this.#ask(run, request, signal);
    return approval.status === 'approved' ? undefined : refusal(approval);
  }

  /** Waits until the approval is decided or expires. If the signal aborts, it cancels the approval and fails at once. */
  async #ask(run: Run, wish: ToolRequest, signal: AbortSignal): Promise<Approval> {
    const approval = this.#open(run, wish);
    const wait = this.#parts.waiting.begin(approval);
    let settled: Approval | undefined;
    try {
      await this.#require(approval, run);
      wait.stored();
      settled = await untilAborted(wait.settled, signal);
      return settled;
    } catch (fault) {
      settled = await this.#cancel(approval);
      throw fault;
    } finally {
      wait.end();
      if (settled) await run.approvals.resolved(run.room ? { ...settled, input: null } : settled);
    }
  }

  async #require(approval: Approval, run: Run): Promise<void> {
    const { store, db, instance, announcer, participants, emit } = this.#parts;
    // In a room only the asking member decides, and others don't see the input.
    const deciders = run.room ? [approval.requested_by] : await participants(approval.session_id);
    const { input: _input, ...withoutInput } = approval;
    await db.transaction(async () => {
      await store.insert(approval, { owner: instance, deciders, scopes: run.asker.scopes });
      await emit({ approval: withoutInput, members: deciders });
    });
    await run.approvals.required(run.room ? { ...approval, input: null } : approval);
    announcer.required(approval, deciders);
  }

  async #cancel({ id }: Approval): Promise<Approval | undefined> {
    const { store, clock, announcer } = this.#parts;
    const change = { status: 'cancelled' as const, reason: '', decided_by: null, decided_by_name: null, now: clock.iso() };
    const cancelled = await store.settle(id, change).catch(() => undefined);
    if (cancelled) announcer.settled([cancelled]);
    return cancelled;
  }

  #open({ task, session, room }: Run, { tool, input, tool_call_id }: ToolRequest): Approval {
    const now = this.#parts.clock.now();
    return {
      id: randomUUID(),
      session_id: session.id,
      task_id: task.id,
      message_id: task.reply_id,
      tool_call_id,
      member_id: task.member_id,
      requested_by: task.requested_by,
      name: tool.title.slice(0, 128),
      input: storableInput(input),
      effect: tool.effect,
      status: 'pending',
      reason: '',
      decided_by: null,
      decided_by_name: null,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + expire_ms).toISOString(),
      decided_at: null,
      room_title: room ? session.title : null,
    };
  }
}

/** Removes NUL, which PostgreSQL doesn't accept, and unpaired surrogates, which people can't read. */
function storableInput(input: object): unknown {
  return JSON.parse(JSON.stringify(input).replaceAll('\\u0000', '\\ufffd').toWellFormed());
}

function refusal({ status, reason, decided_by_name }: Approval): string {
  if (status === 'denied')
    return `${decided_by_name ?? 'A person'} denied this${reason === '' ? '' : `: ${reason}`}. Do not try it again unless asked to.`;
  if (status === 'expired') return 'Nobody approved this within 24 h.';
  return 'The approval of this was cancelled.';
}
