import type { FileAnswer } from '../../kernel/contract/index.js';
import type {
  AddedMembers,
  After,
  Contact,
  ContactQuery,
  ExportInput,
  FoundId,
  FoundMessage,
  IdKind,
  ImportAnswer,
  ImportedFile,
  ImportFindings,
  ImportInput,
  ImportQuery,
  Joined,
  JoinInput,
  MemberUpdate,
  MemberUsage,
  Message,
  MessageFile,
  MessagePage,
  MessageReport,
  NewMembers,
  NewSession,
  NotificationsUpdate,
  Reaction,
  ReceivedFile,
  ReplyStream,
  RoomPage,
  RoomQuery,
  RunDetail,
  RunQuery,
  RunRecord,
  SendInput,
  Sent,
  Session,
  SessionMember,
  SessionNotifications,
  SessionUpdate,
  Started,
  StartInput,
  Stopped,
  StoppedTask,
  Task,
  UnsentFiles,
} from './contract.js';

/** Input and answer of each operation. */
export type ChatApi = {
  'chat.usage': { input: object; answer: MemberUsage };
  'chat.lookup': { input: { kind: IdKind; part: string }; answer: FoundId[] };
  'sessions.list': { input: { target_type?: string; limit: number; offset: number }; answer: Session[] };
  'sessions.create': { input: NewSession; answer: Session };
  'sessions.update': { input: SessionUpdate; answer: Session };
  'sessions.join': { input: { session_id: string }; answer: Session };
  'sessions.notifications': { input: NotificationsUpdate; answer: SessionNotifications };
  'sessions.get': { input: { session_id: string }; answer: Session };
  'sessions.delete': { input: { session_id: string }; answer: undefined };
  'sessions.export': { input: ExportInput; answer: FileAnswer };
  'sessions.members': { input: { session_id: string }; answer: SessionMember[] };
  'sessions.add_member': { input: NewMembers; answer: AddedMembers };
  'sessions.update_member': { input: MemberUpdate; answer: SessionMember };
  'sessions.remove_member': { input: { session_id: string; member_id: number }; answer: undefined };
  'rooms.list': { input: RoomQuery; answer: RoomPage };
  'sessions.stream': { input: { session_id: string } & After; answer: ReplyStream };
  'chat.send': { input: SendInput; answer: Sent };
  'chat.abort': { input: { message_id: string }; answer: Stopped & { message_id: string; aborted: boolean } };
  'unread.mark_read': { input: { session_id: string }; answer: { session_id: string; unread_count: 0 } };
  'unread.counts': { input: object; answer: { counts: Record<string, number> } };
  'contacts.list': { input: ContactQuery; answer: Contact[] };
  'contacts.start': { input: StartInput; answer: Started };
  'images.get': { input: { hash: string }; answer: FileAnswer };
  'images.thumbnail': { input: { hash: string }; answer: FileAnswer };
  'files.upload': { input: { file: ReceivedFile }; answer: MessageFile };
  'files.list': { input: { limit: number; offset: number }; answer: UnsentFiles };
  'files.delete': { input: { file_id: string }; answer: undefined };
  'files.get': { input: { file_id: string }; answer: FileAnswer };
  'files.thumbnail': { input: { file_id: string }; answer: FileAnswer };
  'messages.list': { input: MessagePage; answer: Message[] };
  'messages.search': { input: { q: string; session_id?: string; limit: number }; answer: FoundMessage[] };
  'messages.get': { input: { message_id: string }; answer: Message };
  'messages.edit': { input: { message_id: string; content: string }; answer: Message };
  'messages.delete': { input: { message_id: string }; answer: undefined };
  'messages.report': { input: { message_id: string; reason: string }; answer: MessageReport };
  'reactions.add': { input: { message_id: string; emoji: string }; answer: { reactions: Reaction[] } };
  'reactions.remove': { input: { message_id: string; emoji: string }; answer: { reactions: Reaction[] } };
  'messages.stream': { input: { message_id: string } & After; answer: ReplyStream };
  'runs.list': { input: RunQuery; answer: RunRecord[] };
  'runs.get': { input: { task_id: string }; answer: RunDetail };
  'runs.abort': { input: { task_id: string }; answer: StoppedTask & { aborted: boolean } };
  'tasks.active': { input: object; answer: Task[] };
  'tasks.failed': { input: { limit: number }; answer: Task[] };
  'tasks.get': { input: { task_id: string }; answer: Task };
  'tasks.cancel': { input: { task_id: string }; answer: StoppedTask & { cancelled: boolean } };
  'imports.find': { input: ImportQuery; answer: ImportFindings };
  'imports.write': { input: ImportInput; answer: ImportAnswer };
  'imports.file': { input: ImportedFile; answer: MessageFile };
  'tasks.message': { input: JoinInput; answer: Joined };
  'tasks.stream': { input: { task_id: string } & After; answer: ReplyStream };
};
