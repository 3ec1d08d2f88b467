import type { Cleaner, Context, Extension, ToolProvider, ToolSlot } from '../../kernel/contract/index.js';
import type { Answerer, AnswererSlot, Chat, ChatEvents, Sent } from '../chat/contract.js';
import type { Members, MembersEvents, MembersService } from '../members/contract.js';
import type { Nodes, NodesEvents } from '../nodes/contract.js';
import type { ApprovalDesk } from './approvals/desk.js';
import { frameReviewOf } from './approvals/frame-review.js';
import { approvalsOf } from './approvals/parts.js';
import type { ApprovalStore } from './approvals/store.js';
import type { AssignmentParts } from './assignments.js';
import { codes } from './codes.js';
import type { Agents, LimitReached } from './contract.js';
import { Employees } from './employees.js';
import { employmentOf } from './employment.js';
import { examples } from './examples.js';
import { handlersOf } from './handlers.js';
import { openMcp } from './mcp/parts.js';
import { migrations } from './migrations/index.js';
import { checkModels } from './model/check.js';
import type { HabitStore } from './model/habits.js';
import { defineModels } from './models.js';
import { OfflineResponder } from './offline/responder.js';
import { ActiveCompletions } from './openai/active-completions.js';
import { AskedDocuments } from './openai/asked-documents.js';
import { Completions, type CompletionsOptions } from './openai/completions.js';
import { completionsDoor, modelDoor, modelsDoor } from './openai/doors.js';
import { EmployeeModels } from './openai/models.js';
import { operations } from './operations.js';
import { Placement } from './placement.js';
import { presenceOf, refreshPresence } from './presence.js';
import type { Profiles } from './profiles/profiles.js';
import { PublicProfiles } from './profiles/public-profile.js';
import { pushedFrames } from './pushed-frames.js';
import { EmployeeAnswerer } from './run/answerer.js';
import { Recall } from './run/recall.js';
import { runEmployeeOf } from './run/run-employee.js';
import { Summaries } from './run/summaries.js';
import { readModel } from './settings.js';
import { skillTools } from './skills/provider.js';
import { Skills } from './skills/skills.js';
import { statusBoard } from './status.js';
import { openStore } from './store.js';
import { type OperationsOptions, OperationTools } from './tools/operations.js';
import type { Reports } from './usage/reports.js';

/** Limit of the requests of one member that wait with a document. */
const max_waiting_documents = 8;

/** Opens the OpenAI-compatible endpoints. */
function openOpenAi(ctx: Context<Agents>, members: MembersService, work: Omit<CompletionsOptions, 'models' | 'clock' | 'documents'>): void {
  const models = new EmployeeModels(members);
  const chat = ctx.use<Chat>('chat');
  const texts = ctx.documents.texts({ max_waiting: max_waiting_documents });
  const documents = new AskedDocuments({ texts, file: (id, member_id) => chat.file(id, member_id) });
  const completions = new Completions({ ...work, clock: ctx.clock, models, documents });
  ctx.door(modelsDoor, async () => Response.json(await models.list()));
  ctx.door(modelDoor, async (_request, { params }) => Response.json(await models.get(params.id ?? '')));
  ctx.door(completionsDoor, (request, call) => completions.answer(request, call));
}

interface Parts {
  desk: ApprovalDesk;
  reports: Reports;
  profiles: Profiles;
  habits: HabitStore;
}

/**
 * Returns the cleaners of growing tables. Retention: decided approvals 30 days, usage by reply 90 days, usage by day
 * 800 days, settings as long as their AI employee, learnt model habits one day.
 */
function cleanersOf({ desk, reports, profiles, habits }: Parts): Cleaner[] {
  return [
    { name: 'approvals', clean: () => desk.deleteOld() },
    { name: 'usage', clean: () => reports.sweep() },
    { name: 'settings', clean: () => profiles.sweep() },
    { name: 'model_habits', clean: () => habits.sweep() },
  ];
}

interface DeletionParts {
  desk: ApprovalDesk;
  approvals: ApprovalStore;
  summaries: Summaries;
  profiles: Profiles;
  /** Delete what they have of a member. */
  owners: readonly { forget(member_id: number): Promise<void> }[];
}

/** Deletes what belongs to deleted sessions, messages, members and nodes. */
function followDeletions(ctx: Context<Agents>, { desk, approvals, summaries, profiles, owners }: DeletionParts): void {
  ctx.take<ChatEvents['chat.sessions_deleted']>('chat.sessions_deleted', async ({ ids }) => {
    await approvals.deleteOfSessions(ids);
    await summaries.deleteOfSessions(ids);
  });
  ctx.take<ChatEvents['chat.session_left']>('chat.session_left', (left) => desk.leave(left));
  ctx.take<ChatEvents['chat.message_changed']>('chat.message_changed', (changed) => summaries.deleteCovering(changed));
  ctx.take<MembersEvents['members.deleted']>('members.deleted', async ({ id }) => {
    for (const owner of owners) await owner.forget(id);
    await approvals.deleteOfMember(id);
  });
  ctx.take<NodesEvents['nodes.deleted']>('nodes.deleted', ({ id }) => profiles.forgetNode(id));
}

const slot: AnswererSlot = 'chat.answerer';
const toolSlot: ToolSlot = 'agents.tools';
const virtualSlot = 'members.virtual';
const presenceSlot = 'presence';
const cleanerSlot = 'maintenance.cleanup';

async function activate(ctx: Context<Agents>): Promise<void> {
  ctx.pushes(pushedFrames);
  const members = ctx.use<Members>('members');
  const chat = ctx.use<Chat>('chat');
  const models = defineModels(ctx.db);
  const employees = new Employees(openStore(ctx.db, models.default), members);
  await employees.prepare();

  const settings = readModel(ctx.config);
  const callable: OperationsOptions = {
    operations: () => ctx.operations(),
    invoke: (operation, input, caller, options) => ctx.invoke(operation, input, caller, options),
  };
  const skills = new Skills(ctx);
  const employment = employmentOf(ctx, models, { platform: settings, skills });
  const { store, usage, budget, profiles, habits, reports, summaries: usageSummaries } = employment;
  const stopping = new AbortController();
  ctx.signal.addEventListener('abort', () => {
    // After a replacement, replies in progress run to their end.
    if (ctx.signal.reason !== 'replaced') stopping.abort();
  });
  const { approvals, desk, store: approvalStore } = approvalsOf(ctx, models, { members, chat });
  const readiness = (ids: readonly number[]) => ctx.find<Nodes>('nodes')?.readiness(ids);
  const summaries = new Summaries(ctx.db, models.summaries, ctx.log);
  const zone = async (member_id: number) => (await members.settingsOf(member_id)).zone;
  const work = {
    zone,
    findEmployee: async (id: number) => runEmployeeOf(await profiles.get(id), budget),
    caller: (member_id: number) => members.caller(member_id, 'tool'),
    readArguments: (schema: object, input: object) => ctx.modelArguments(schema, input),
    providers: () => ctx.slot<ToolProvider>(toolSlot),
    placement: new Placement({ members, settings: store, readiness }),
    admins: async () => new Set((await members.admins()).map(({ id }) => id)),
    offline: new OfflineResponder(),
    log: ctx.log,
    limitReached: (event: LimitReached) => ctx.emit('agents.limit_reached', event),
    track: (running: Promise<unknown>) => ctx.track(running),
    ending: stopping.signal,
  };
  const answerer: Answerer = new EmployeeAnswerer({
    ...work,
    defaultTarget: () => employees.default(),
    approvals,
    recall: new Recall({ summaries, clock: ctx.clock, zone }),
  });
  ctx.contribute(slot, answerer);
  ctx.contribute('frames.review', frameReviewOf(chat));
  const underWay = new ActiveCompletions();
  openOpenAi(ctx, members, { ...work, underWay });
  const skillProvider = skillTools({
    skills,
    selection: async (member_id) => (await store.get(member_id)).settings.skills,
    nodes: () => ctx.find<Nodes>('nodes'),
  });
  for (const provider of [new OperationTools(callable), skillProvider, ...openMcp(ctx, callable)]) ctx.contribute(toolSlot, provider);
  ctx.contribute(virtualSlot, statusBoard({ chat, settings: store, budget, skills, underWay, readiness }));
  ctx.contribute(presenceSlot, presenceOf({ members, settings: store, readiness }));
  refreshPresence(ctx);
  followDeletions(ctx, { desk, approvals: approvalStore, summaries, profiles, owners: [employees, profiles, usage] });
  ctx.every({ name: 'approvals', every_ms: 5_000, always: true }, () => desk.sweep());
  for (const cleaner of cleanersOf({ desk, reports, profiles, habits })) ctx.contribute(cleanerSlot, cleaner);
  const web = (allow: readonly string[]) => ctx.web(allow);
  ctx.check('model', async () => checkModels(settings, await profiles.employeeModels(), { web, habits: await habits.all() }));
  ctx.provide({});
  const assignment: AssignmentParts = {
    send: async (input, caller, idempotency_key) => (await ctx.invoke('chat.send', input, caller, { idempotency_key })).body as Sent,
    follow: (message_id, member_id, following) => chat.follow(message_id, member_id, following),
    abort: (message_id, caller) => ctx.invoke('chat.abort', { message_id }, caller),
  };
  const { placement, providers } = work;
  const statuses = (ids: readonly number[]) => ctx.find<Nodes>('nodes')?.statuses(ids);
  const publicProfiles = new PublicProfiles({ members, settings: store, placement, providers, statuses, log: ctx.log });
  ctx.examples(examples);
  ctx.expose(
    operations,
    handlersOf({ assignment, desk, profiles, publicProfiles, reports, summaries: usageSummaries, web, clock: ctx.clock }),
    codes,
  );
}

export default { migrations, activate } satisfies Extension<Agents>;
