import type { Bus, Clock, Context, Counter, Database, Journal, Log } from '../../kernel/contract/index.js';
import type { Answerer, Chat, ReadSession } from './contract.js';
import type { Files } from './files/files.js';
import type { Frames } from './frames.js';
import type { Images } from './images/images.js';
import type { ReadMarks } from './replies/read-marks.js';
import type { Readers } from './replies/readers.js';
import type { EventLoopBatches } from './replies/recorder.js';
import type { Membership } from './rooms/membership.js';
import type { RightsInRoom } from './rooms/rights.js';
import type { Followers } from './store/followers-sql.js';
import type { Messages } from './store/messages-sql.js';
import type { Pairs } from './store/pairs-sql.js';
import type { PlacedTasks } from './store/placed-tasks-sql.js';
import type { Reactions } from './store/reactions.js';
import type { ReadPositions } from './store/read-positions-sql.js';
import type { ReportRows } from './store/reports.js';
import type { RoomRows } from './store/rooms-sql.js';
import type { Sessions } from './store/sessions-sql.js';
import type { Tasks } from './store/tasks-sql.js';
import type { Typing } from './typing.js';
import type { Usage } from './usage.js';

/** Dependencies shared by chat's parts: platform services and chat's tables. */
export interface Ports {
  db: Database;
  journal: Journal;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Returns the owner of running tasks: the worker that writes replies. */
  owner: () => string;
  /** Aborts when this version of the extension stops. */
  signal: AbortSignal;
  /** False in a process that runs a single command: it works only on tasks of that command. */
  background: boolean;
  sessions: Sessions;
  positions: ReadPositions;
  rooms: RoomRows;
  membership: Membership;
  rights: RightsInRoom;
  followers: Followers;
  messages: Messages;
  tasks: Tasks;
  placed: PlacedTasks;
  pairs: Pairs;
  images: Images;
  files: Files;
  reactions: Reactions;
  reports: ReportRows;
  usage: Usage;
  frames: Frames;
  typing: Typing;
  readers: Readers;
  read_marks: ReadMarks;
  newId: () => string;
  /** Shared by all replies. */
  next_turn: EventLoopBatches;
  /** Returns the answerer for a kind of partner. */
  answerers: () => readonly Answerer[];
  /** Returns the online ones of the given members. */
  online: (member_ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Reports a read session to the slot `chat.read`. Never fails. */
  readBy: (read: ReadSession) => Promise<void>;
  /** Tasks, by outcome. */
  outcomes: Counter;
  /** Emits an event within the current transaction. */
  emit: Context<Chat>['emit'];
  /** Keeps the process and the version alive until the work has ended. */
  track: (work: Promise<unknown>) => void;
}

/** Bus channels: tasks wait to be claimed; a task must stop; a member was removed from a session; a member starts or stops reading one. */
export const channels = { wake: 'chat.wake', stop: 'chat.stop', left: 'chat.left', reading: 'chat.reading' } as const;
