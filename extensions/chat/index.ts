import type { Cleaner, Context, Extension, RoomRights, ToolSlot, Worker } from '../../kernel/contract/index.js';
import type { EndsWorkOf, InvitedMember, Members, MembersEvents, MembersService, RoomsToInvite } from '../members/contract.js';
import { Arrivals } from './arrivals.js';
import { codes } from './codes.js';
import { Contacts } from './contacts.js';
import type { Answerer, AnswererSlot, Chat, ChatRead, ChatReadSlot, ChatService, NodeGone, NodeStatuses, ReadSession } from './contract.js';
import { examples } from './examples.js';
import { SessionExport } from './export/session-export.js';
import { AttachmentTool } from './files/attachment-tool.js';
import { Files } from './files/files.js';
import { FrameReview } from './frame-review.js';
import { Frames } from './frames.js';
import { follow, type HandlerParts, handlersOf } from './handlers.js';
import { Images } from './images/images.js';
import { ImageThumbnails } from './images/thumbnails.js';
import { Importer } from './imports/importer.js';
import { Joins } from './joins.js';
import { MessageChanges } from './message-changes.js';
import { MessageReports } from './message-reports.js';
import { migrations } from './migrations/index.js';
import { defineModels, type Models } from './models.js';
import { operations } from './operations.js';
import { channels, type Ports } from './ports.js';
import { pushedFrames, readFrame, typingFrame } from './pushed-frames.js';
import { Remover } from './remover.js';
import { Placer } from './replies/placer.js';
import { TaskQueue } from './replies/queue.js';
import { ReadMarks } from './replies/read-marks.js';
import { Readers } from './replies/readers.js';
import { EventLoopBatches } from './replies/recorder.js';
import { Stopper } from './replies/stopper.js';
import { Streams } from './replies/streams.js';
import { ReplyWork, type ReplyWorker } from './replies/work.js';
import { RoomAddressees } from './rooms/addressees.js';
import { InvitedToRooms } from './rooms/invited.js';
import { Membership } from './rooms/membership.js';
import { RightsInRoom } from './rooms/rights.js';
import { emptied_ms, Rooms } from './rooms/rooms.js';
import { Runs } from './runs.js';
import { Backlog } from './search/backlog.js';
import { FileReading } from './search/file-reading.js';
import { MessageTexts } from './search/message-texts.js';
import { SearchRemovals } from './search/removals.js';
import { Search } from './search/search.js';
import { Sender } from './sender.js';
import { Service } from './service.js';
import { SessionMembers } from './session-members.js';
import { ChangedRows } from './store/changes.js';
import { ExportedMessages } from './store/exported.js';
import { FileTexts, type TextJob } from './store/file-texts-sql.js';
import { FileRows } from './store/files-sql.js';
import { Followers } from './store/followers-sql.js';
import { ImageRows } from './store/images-sql.js';
import { ImportedRows } from './store/imported-sql.js';
import { IdLookup } from './store/lookup.js';
import { Messages } from './store/messages-sql.js';
import { Pairs } from './store/pairs-sql.js';
import { PlacedTasks } from './store/placed-tasks-sql.js';
import { Reactions } from './store/reactions.js';
import { ReadPositions } from './store/read-positions-sql.js';
import { ReportRows } from './store/reports.js';
import { RoomRows } from './store/rooms-sql.js';
import { OpenTasks } from './store/runs.js';
import { SearchIndex } from './store/search-sql.js';
import { Sessions } from './store/sessions-sql.js';
import { Tasks } from './store/tasks-sql.js';
import { UsageRows } from './store/usage-sql.js';
import { Targets } from './targets.js';
import { Typing } from './typing.js';
import { Unread } from './unread.js';
import { Usage } from './usage.js';
import { uuidAt } from './uuid.js';

/** Frame `read {session_id}`: the member has read the session. */
interface SessionFrame {
  session_id: string;
}

/** Frame `typing {session_id, state}`: the member starts or stops typing. */
interface TypingFrame extends SessionFrame {
  state: 'start' | 'stop';
}

/** Provides chat's service to other extensions in this process. */
function serviceOf(parts: HandlerParts, { sessions, tasks, rooms, readers, clock }: Ports): ChatService {
  return {
    session: (id, member_id) => sessions.get(id, member_id),
    participants: (session_id) => sessions.participants(session_id),
    audience: (session_id) => parts.rooms.audience(session_id),
    openTitles: (session_ids) => rooms.openTitles(session_ids),
    among: async (session_id, member_ids) => (await rooms.among(session_id, member_ids)).map(({ member_id }) => member_id),
    listeners: async (message, among) => {
      const { session_id } = message;
      const found = await rooms.listeners(message, { now: clock.iso(), among });
      return found.filter((member_id) => !readers.isReading({ session_id, member_id }));
    },
    file: (id, member_id) => parts.files.get(id, member_id),
    working: (member_ids) => tasks.working(member_ids),
    send: async (input, asker) => (await parts.sender.prepare(input, asker))(),
    async *follow(message_id, member_id, following) {
      yield* await follow(parts, { message_id, member_id, reads: false, ...following });
    },
  };
}

const slot: AnswererSlot = 'chat.answerer';
const cleaners = 'maintenance.cleanup';

async function activate(ctx: Context<Chat>): Promise<void> {
  ctx.pushes(pushedFrames);
  const models = defineModels(ctx.db);
  const members = ctx.use<Members>('members');
  const ports = portsOf(ctx, models, { members, owner: () => worker.owner, readTexts: () => void reading.wake() });
  const worker: ReplyWorker = ctx.work(new ReplyWork(ports));
  const reading: Worker<TextJob, void> = readFiles(ctx, models, ports);
  const placer = ctx.own(new Placer(ports, worker));
  const wake = () => {
    void worker.wake();
    void placer.look();
  };
  const stopper = new Stopper(ports, { worker, wake });
  const remover = new Remover(ports, { stopper, placer });
  const targets = new Targets(members, ports.answerers);
  const arrivals = new Arrivals(ports);
  const rooms = new Rooms({ ports, members, stopper });
  const addressees = new RoomAddressees(ports, members);
  const queue = new TaskQueue({ ports, worker, placer });
  const sender = new Sender({ ports, targets, addressees, rooms, arrivals, queue });
  const sessionMembers = new SessionMembers({ ports, members, rooms });
  const service = new Service({ ports, sessionMembers, stopper, remover });

  ctx.signal.addEventListener('abort', () => placer.retire());
  ctx.own({ dispose: await stopper.answer() });
  ctx.own({ dispose: await ctx.bus.subscribe(channels.wake, wake) });
  ctx.own(await ports.readers.listen());
  ctx.contribute('members.leaving', ((id, reason) =>
    reason === 'member_demoted' ? rooms.demote(id) : remover.leaving(id, reason)) satisfies EndsWorkOf);
  ctx.take<MembersEvents['members.deleted']>('members.deleted', ({ id }) => remover.member(id, () => rooms.depart(id, 'member_deleted')));
  ctx.take<MembersEvents['members.deactivated']>('members.deactivated', ({ id }) => rooms.depart(id, 'member_inactive'));
  // Once more after the commit, for tasks of requests that were running.
  ctx.listen<MembersEvents['members.deactivated']>('members.deactivated', ({ payload: { id } }) => remover.leaving(id, 'member_inactive'));
  takeInvited(ctx, new InvitedToRooms(ports, rooms));
  ctx.take('nodes.changed', async () => ctx.db.afterCommit(() => void placer.look()));
  ctx.take<NodeGone>('nodes.deleted', ({ id }) => remover.node(id));
  ctx.listen<NodeGone>('nodes.deleted', ({ payload: { id } }) => remover.tasksOn(id));
  ctx.every({ name: 'places', every_ms: 2_000, always: true }, () => placer.look());
  await Promise.all([worker.recover(), reading.recover()]);
  const index = new SearchIndex(ctx.db);
  const texts = new MessageTexts(new FileTexts(ctx.db, models));
  const backlog = new Backlog({ db: ctx.db, models, sessions: ports.sessions, texts, index, signal: ctx.signal });
  ctx.contribute('rooms.rights', ports.rights satisfies RoomRights);
  cleanUp(ctx, ports, remover);
  ctx.contribute('frames.review', new FrameReview(ports));
  ctx.every({ name: 'search-backlog', every_ms: 1_000 }, () => backlog.work());
  const removals = new SearchRemovals({ db: ctx.db, models, index, signal: ctx.signal });
  ctx.every({ name: 'search-removals', every_ms: 10_000 }, () => removals.work());
  ctx.metric('running_replies', 'Active replies in this process', () => worker.running);
  const unread = new Unread(ports);
  takeFrames(ctx, ports, unread);
  const contacts = new Contacts({
    ports,
    members,
    sender,
    presence: (ids) => ctx.presence.of(ids),
    nodes: async (ids) => (await ctx.find<NodeStatuses>('nodes')?.statuses(ids)) ?? new Map(),
  });
  const parts = {
    service,
    sessionMembers,
    rooms,
    sender,
    joins: new Joins({ ports, targets, arrivals, addressees, queue }),
    unread,
    contacts,
    images: ports.images,
    files: ports.files,
    usage: ports.usage,
    runs: new Runs({ ports, open: new OpenTasks(models), members, stopper }),
    streams: new Streams(ports),
    search: new Search(ports, index),
    lookup: new IdLookup(ctx.db, models),
    changes: new MessageChanges({ ports, rows: new ChangedRows(models), stopper, addressees }),
    reports: new MessageReports({ ports, members }),
    sessionExport: new SessionExport({ ports, rows: new ExportedMessages(models) }),
    importer: new Importer({ ports, members, targets, rows: new ImportedRows(ctx.db, models), files: new FileRows(ctx.db, models) }),
  };
  ctx.provide(serviceOf(parts, ports));
  ctx.examples(examples);
  ctx.expose(operations, handlersOf(parts), codes);
}

/** Brings people into the rooms of their invitations. */
function takeInvited(ctx: Context<Chat>, invited: InvitedToRooms): void {
  ctx.contribute('members.rooms', ((ids, member_id) => invited.allowed(ids, member_id)) satisfies RoomsToInvite);
  ctx.listen<InvitedMember>('members.invited', ({ payload }) => invited.welcome(payload));
}

/** Takes the frames that clients send. */
function takeFrames(ctx: Context<Chat>, { typing }: Ports, unread: Unread): void {
  ctx.frame('read', readFrame, async (data, { caller }) => {
    await unread.markRead((data as SessionFrame).session_id, caller.member_id);
  });
  ctx.frame('typing', typingFrame, (data, { caller }) => {
    const { session_id, state } = data as TypingFrame;
    return typing.said({ session_id, member_id: caller.member_id }, state);
  });
}

/** Reads the text of files for AI employees, and in the background for the search. Returns the worker of the latter. */
function readFiles(ctx: Context<Chat>, models: Models, ports: Ports): Worker<TextJob, void> {
  const documents = ctx.documents.texts();
  const { files } = ports;
  ctx.contribute('agents.tools' satisfies ToolSlot, new AttachmentTool({ files, rows: new FileRows(ctx.db, models), texts: documents }));
  return ctx.work(new FileReading({ ...ports, documents, texts: new FileTexts(ctx.db, models) }));
}

/** Removes old data: uploads and files that no message has, and rooms without people. */
function cleanUp(ctx: Context<Chat>, { files, usage }: Ports, remover: Remover): void {
  const emptied = () => remover.emptied(new Date(ctx.clock.now() - emptied_ms).toISOString());
  ctx.contribute(cleaners, usage.cleaner);
  ctx.contribute(cleaners, { name: 'files', clean: () => files.clean() } satisfies Cleaner);
  ctx.contribute(cleaners, { name: 'rooms', clean: emptied } satisfies Cleaner);
  // More often than the others, so that a file stays for little more than its hour.
  ctx.every({ name: 'unsent-files', every_ms: 60_000 }, async () => void (await files.clean()));
}

interface PortsInput {
  members: MembersService;
  owner: () => string;
  /** Starts the reading of files' texts. */
  readTexts: () => void;
}

function portsOf(ctx: Context<Chat>, models: Models, { members, owner, readTexts }: PortsInput): Ports {
  const { db, blobs, journal, bus, clock, log, signal, background } = ctx;
  const sessions = new Sessions(db, models);
  const positions = new ReadPositions(db);
  const rooms = new RoomRows(db, models);
  const tasks = new Tasks(db, models.tasks);
  const membership = new Membership(rooms, sessions);
  const newId = () => uuidAt(clock.now());
  const thumbnails = new ImageThumbnails(ctx.thumbnails);
  const usage = new Usage({ rows: new UsageRows(db, models), db, clock, quota_bytes: quotaOf(ctx.config) });
  const frames = new Frames((to, frame, options) => ctx.push(to, frame, options));
  const readBy = async (read: ReadSession) => {
    for (const { value } of ctx.slot<ChatRead>('chat.read' satisfies ChatReadSlot))
      await value(read).catch((err: unknown) => log.warn('Could not report that a session was read', { err }));
  };
  return {
    frames,
    readers: new Readers({ bus, clock, log, sessions, track: (work) => ctx.track(work) }),
    typing: ctx.own(new Typing({ frames, sessions, membership, clock, log })),
    db,
    journal,
    bus,
    clock,
    log,
    owner,
    signal,
    background,
    sessions,
    positions,
    rooms,
    membership,
    rights: new RightsInRoom({ ports: { db, rooms, sessions, tasks }, members }),
    followers: new Followers(db, models.followers),
    messages: new Messages(db, models),
    tasks,
    placed: new PlacedTasks(db, models.tasks),
    pairs: new Pairs(db, models.pairs),
    images: new Images({ rows: new ImageRows(db, models.images), blobs, fetch: (url, options) => ctx.fetch(url, options), thumbnails }),
    files: new Files({
      rows: new FileRows(db, models),
      texts: new FileTexts(db, models),
      blobs,
      db,
      clock,
      usage,
      readTexts,
      newId,
      thumbnails,
    }),
    reactions: new Reactions(db, models),
    reports: new ReportRows(models),
    usage,
    next_turn: new EventLoopBatches(),
    newId,
    answerers: () => ctx.slot<Answerer>(slot).map(({ value }) => value),
    online: async (ids) => {
      const statuses = await ctx.presence.statuses(ids);
      return new Set(ids.filter((id) => statuses.get(id) === 'online'));
    },
    readBy,
    read_marks: new ReadMarks({ positions, frames, log, readBy, track: (work) => ctx.track(work) }),
    outcomes: ctx.counter('tasks_total', 'Finished tasks of AI employees and other partners by status', 'status'),
    emit: (topic, payload) => ctx.emit(topic, payload),
    track: (work) => ctx.track(work),
  };
}

/** Returns the quota setting, which was validated at load. Default: no quota. */
function quotaOf({ member_quota_bytes = 0 }: Readonly<Record<string, unknown>>): number {
  return Number(member_quota_bytes);
}

export default {
  migrations,
  activate,
} satisfies Extension<Chat>;
