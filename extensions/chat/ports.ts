import type { Bus, Clock, Context, Counter, Database, Journal, Log } from '../../kernel/contract/index.js';
import type { Answerer, Chat, ReadSession } from './contract.js';
import type { Frames } from './frames.js';
import type { Images } from './images/images.js';
import type { ReadMarks } from './replies/read-marks.js';
import type { Readers } from './replies/readers.js';
import type { NextTurn } from './replies/recorder.js';
import type { Messages } from './store/messages-sql.js';
import type { Pairs } from './store/pairs-sql.js';
import type { PlacedTasks } from './store/placed-tasks-sql.js';
import type { Sessions } from './store/sessions-sql.js';
import type { Tasks } from './store/tasks-sql.js';
import type { Typing } from './typing.js';
import type { Usage } from './usage.js';

/** The ports that chat's parts share: the platform's side, and its own tables. */
export interface Ports {
  db: Database;
  journal: Journal;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Names the worker that writes replies, as the owner of their tasks. */
  owner: () => string;
  /** Aborts when this version of the extension stops. */
  signal: AbortSignal;
  /** False in a process that runs one command: it works on what that command started, and on nothing else. */
  background: boolean;
  sessions: Sessions;
  messages: Messages;
  tasks: Tasks;
  placed: PlacedTasks;
  pairs: Pairs;
  images: Images;
  usage: Usage;
  frames: Frames;
  typing: Typing;
  readers: Readers;
  read_marks: ReadMarks;
  newId: () => string;
  /** Shared by all replies. */
  next_turn: NextTurn;
  /** Returns the answerer for a kind of partner. */
  answerers: () => readonly Answerer[];
  /** Those of the members who are online now. */
  online: (member_ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Tells whoever wants to know that a member has read a session. Never fails. */
  readBy: (read: ReadSession) => Promise<void>;
  /** Tasks, by outcome. */
  outcomes: Counter;
  /** Tells other extensions, in the transaction that runs here. */
  emit: Context<Chat>['emit'];
  /** Keeps process and version until the work is final. */
  track: (work: Promise<unknown>) => void;
}

/** Bus channels: tasks wait to be claimed; one must stop; a member was taken out of a session; a member starts or stops reading one. */
export const channels = { wake: 'chat.wake', stop: 'chat.stop', left: 'chat.left', reading: 'chat.reading' } as const;
