import type { ReceivedFile } from '../message-types.js';
import type { Visibility } from '../rooms/types.js';

/** A person of an export. */
export interface ImportedPerson {
  /** Id in the export, at most 200 characters, as those of rooms and messages. */
  id: string;
  username: string;
  nickname: string;
}

/**
 * State of a record of an export. `known`: imported before. `gone`: imported before, and deleted since; it is not imported again. `created`:
 * it is new. `matched`: a person who is a member already.
 */
export type ImportState = 'created' | 'matched' | 'known' | 'gone';

export interface PersonState {
  id: string;
  /** Null if there is no such member, or not yet. */
  member_id: number | null;
  username: string;
  state: ImportState;
}

/** Kind of an imported room. `pair`: the conversation of two people. `notes`: a person's own notes. `ai`: a conversation with the default AI employee. */
export type ImportedRoomKind = 'room' | 'pair' | 'notes' | 'ai';

export interface ImportedRoom {
  id: string;
  kind: ImportedRoomKind;
  title: string;
  topic: string;
  visibility: Visibility;
  /** In ms since the epoch, as all times of an import. */
  created_ms: number;
  /** Two for a `pair`, one for `notes` and `ai`. */
  members: { member_id: number; owner: boolean }[];
}

export interface RoomState {
  id: string;
  /** Null if there is no such session, or not yet. */
  session_id: string | null;
  state: ImportState;
}

export interface ImportedMessage {
  id: string;
  /** Id of its room in the export. */
  room_id: string;
  role: 'user' | 'assistant';
  /** Null if the sender is no member. */
  sender_id: number | null;
  /** Shown if the sender is no member. */
  sender_name: string;
  content: string;
  created_ms: number;
  edited_ms: number | null;
  /** Id in the export of the message that begins its thread. */
  thread: string | null;
  /** Id in the export of the message that it answers. */
  reply_to: string | null;
  reactions: { emoji: string; member_ids: number[] }[];
  /** Ids of files that were uploaded for it. */
  files: string[];
}

/** A portion of an export. */
export interface ImportInput {
  /** Name of the product, and of the installation if a person imports from several. */
  source: string;
  people: ImportedPerson[];
  rooms: ImportedRoom[];
  messages: ImportedMessage[];
}

export interface ImportAnswer {
  people: PersonState[];
  rooms: RoomState[];
  /** Numbers of messages that were stored, that were there already, and whose room is missing. */
  messages: { created: number; known: number; left_out: number };
}

/** Ids in an export. */
export interface ImportQuery {
  source: string;
  people: ImportedPerson[];
  rooms: string[];
  messages: string[];
}

export interface ImportFindings {
  people: PersonState[];
  rooms: RoomState[];
  /** Those that were imported before. */
  messages: string[];
}

/** A file for a message that is about to be imported. */
export interface ImportedFile {
  file: ReceivedFile;
}
