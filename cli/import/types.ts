/** A person of an export. */
export interface ExportedPerson {
  /** Id in the export. */
  id: string;
  username: string;
  nickname: string;
}

export interface ExportedRoom {
  id: string;
  kind: 'room' | 'pair' | 'notes' | 'ai';
  title: string;
  topic: string;
  visibility: 'private' | 'open';
  created_ms: number;
  members: readonly { person: string; owner: boolean }[];
}

/** A file of a message. */
export interface ExportedFile {
  name: string;
  /** Size in bytes; the reason as words if the file can't be imported. */
  size(): Promise<number | string>;
  bytes(): Promise<Buffer>;
}

export interface ExportedMessage {
  id: string;
  /** Id of the room. */
  room: string;
  role: 'user' | 'assistant';
  /** Id of the sender; undefined if it is no member. */
  person: string | undefined;
  /** Name of a sender that is no member, such as a bot. */
  name?: string | undefined;
  text: string;
  created_ms: number;
  edited_ms: number | undefined;
  /** Id of the message that begins its thread. */
  thread?: string | undefined;
  /** Id of the message that it answers. */
  reply_to?: string | undefined;
  reactions: readonly { emoji: string; people: readonly string[] }[];
  files: readonly ExportedFile[];
}

/** Returns the user name that a person has on the platform; undefined for somebody who is no member. */
export type UsernameOf = (person: string) => string | undefined;

/** An export that was read and checked. */
export interface Export {
  people: readonly ExportedPerson[];
  /** Whether all people must be members already. */
  needs_members: boolean;
  rooms: readonly ExportedRoom[];
  /** Number of messages, about. */
  count: number;
  /** Yields the messages, about in the order of their times; the first message of a thread comes before its others. */
  messages(usernameOf: UsernameOf): AsyncIterable<ExportedMessage>;
}
