import type { Context } from '../../../kernel/contract/index.js';
import type { ChatService } from '../../chat/contract.js';
import type { MembersService } from '../../members/contract.js';
import type { Agents, ApprovalRequired } from '../contract.js';
import type { Models } from '../models.js';
import { Announcer } from './announcer.js';
import { Approvals } from './approvals.js';
import { ApprovalDesk } from './desk.js';
import { ApprovalStore } from './store.js';
import { Waiting } from './waiting.js';

interface Neighbours {
  members: MembersService;
  chat: ChatService;
}

/** Where runs ask, and where people decide. */
export function approvalsOf(
  ctx: Context<Agents>,
  models: Models,
  { members, chat }: Neighbours,
): { store: ApprovalStore; approvals: Approvals; desk: ApprovalDesk } {
  const { db, bus, clock, log, instance } = ctx;
  const store = new ApprovalStore(db, models);
  const participants = (session_id: string) => chat.participants(session_id);
  const announcer = new Announcer({
    bus,
    log,
    push: (members, frame) => ctx.push({ members }, frame),
    participants,
    track: (work) => ctx.track(work),
  });
  const desk = new ApprovalDesk({
    store,
    announcer,
    db,
    clock,
    instance,
    sees: async (session_id, member_id) => (await chat.session(session_id, member_id)) !== undefined,
    nameOf: async (member_id) => (await members.require(member_id)).nickname,
  });
  const waiting = ctx.own(new Waiting({ store, bus, log, sweep: () => desk.sweep() }));
  const emit = (event: ApprovalRequired) => ctx.emit('agents.approval_required', event);
  return { store, desk, approvals: new Approvals({ store, waiting, announcer, db, clock, instance, participants, emit }) };
}
