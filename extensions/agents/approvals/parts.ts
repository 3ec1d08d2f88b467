import type { Context } from '../../../kernel/contract/index.js';
import type { ChatService } from '../../chat/contract.js';
import type { MembersService } from '../../members/contract.js';
import type { Agents, Approval, ApprovalRequired } from '../contract.js';
import type { Models } from '../models.js';
import { Announcer } from './announcer.js';
import { Approvals } from './approvals.js';
import { ApprovalDesk } from './desk.js';
import { PendingApprovals } from './pending-approvals.js';
import { ApprovalStore } from './store.js';

interface Neighbours {
  members: MembersService;
  chat: ChatService;
}

/** Parts that approvals are built from. Each class picks the ones it uses. */
export interface Parts extends Pick<Context<Agents>, 'db' | 'bus' | 'clock' | 'log' | 'instance'> {
  store: ApprovalStore;
  announcer: Announcer;
  waiting: PendingApprovals;
  participants: (session_id: string) => Promise<number[]>;
  /** Returns the members who may decide an approval: in a room the asking member alone. */
  deciders: (approval: Pick<Approval, 'session_id' | 'requested_by'>) => Promise<readonly number[]>;
  /** Sends a frame to the sockets of members. */
  push: (members: readonly number[], frame: { type: string; data: object }) => void;
  track: (work: Promise<unknown>) => void;
  /** Returns whether the member may see the session. */
  sees: (session_id: string, member_id: number) => Promise<boolean>;
  /** Returns the member's display name. */
  nameOf: (member_id: number) => Promise<string>;
  /** Ends expired approvals. */
  sweep: () => Promise<void>;
  /** Emits the event to other extensions in the current transaction. */
  emit: (event: ApprovalRequired) => Promise<void>;
}

/** Creates the side that requests approvals and the side that decides them. */
export function approvalsOf(
  ctx: Context<Agents>,
  models: Models,
  { members, chat }: Neighbours,
): { store: ApprovalStore; approvals: Approvals; desk: ApprovalDesk } {
  const { db, bus, clock, log, instance } = ctx;
  const store = new ApprovalStore(db, models);
  const participants = (session_id: string) => chat.participants(session_id);
  const push: Parts['push'] = (members, frame) => ctx.push({ members }, frame);
  const deciders: Parts['deciders'] = async ({ session_id, requested_by }) =>
    (await chat.audience(session_id)) ? chat.among(session_id, [requested_by]) : participants(session_id);
  const announcer = new Announcer({ bus, log, push, deciders, track: (work) => ctx.track(work) });
  const common = { store, announcer, db, clock, instance };
  const desk = new ApprovalDesk({
    ...common,
    sees: async (session_id, member_id) => (await chat.session(session_id, member_id)) !== undefined,
    nameOf: async (member_id) => (await members.require(member_id)).nickname,
  });
  const waiting = ctx.own(new PendingApprovals({ store, bus, log, sweep: () => desk.sweep() }));
  const emit = (event: ApprovalRequired) => ctx.emit('agents.approval_required', event);
  return { store, desk, approvals: new Approvals({ ...common, waiting, participants, emit }) };
}
