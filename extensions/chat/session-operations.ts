import { label, type Operations, type Subject } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import * as shape from './shapes.js';
import { sessionEvents } from './stream-events.js';

export const conversations: Subject = {
  name: 'Conversations',
  description: 'Sessions with people and AI employees, rooms of several, their members, and unread counts.',
};

type SessionApi = Pick<ChatApi, Extract<keyof ChatApi, `sessions.${string}` | `rooms.${string}`>>;

/** The operations on sessions and their members. */
export const sessionOperations = {
  'sessions.list': {
    summary: 'Lists your chat sessions, latest active first.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/sessions',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        target_type: j.string().max(64).allow('').description("Only sessions of this kind: 'ai', 'member', 'room', or empty for notes"),
        limit: shape.limit(j, 20),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.session(j)),
    tool: true,
  },
  'sessions.create': {
    summary:
      'Opens a chat session with an AI employee, with another person, or for notes to yourself; or a room of several members, which you own.',
    subject: conversations,
    method: 'POST',
    path: '/api/chat/sessions',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        title: shape.title(j).description('A room without one is called by the names of its members'),
        target_type: shape.targetType(j).default('ai'),
        target_id: shape.targetId(j).default(''),
        member_ids: j
          .array()
          .items(shape.memberId(j))
          .max(5_000)
          .description('Further members of a room: people, AI employees and plugins'),
        visibility: shape.visibility(j).description("Rooms only. Default: 'private'"),
      }),
    answer: shape.session,
    status: 201,
    failures: ['session_full'],
    idempotent: 'data',
    tool: true,
  },
  'sessions.update': {
    summary:
      'Changes the title, topic or visibility of a room that you own. In an open room every member of the platform can read everything.',
    subject: conversations,
    method: 'PUT',
    path: '/api/chat/sessions/{session_id}',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        session_id: shape.id(j).required(),
        title: label(j, 200),
        topic: label(j, 500).allow(''),
        visibility: shape.visibility(j),
      }),
    answer: shape.session,
    failures: ['session_not_found', 'forbidden', 'abort_unconfirmed'],
    dangerous: true,
    audited: true,
    mcp: true,
  },
  'sessions.join': {
    summary: 'Joins an open room. You then see all of its messages.',
    subject: conversations,
    method: 'POST',
    path: '/api/chat/sessions/{session_id}/join',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ session_id: shape.id(j).required() }),
    answer: shape.session,
    failures: ['session_not_found', 'session_full'],
    mcp: true,
  },
  'sessions.notifications': {
    summary: 'Chooses which messages of a session notify you.',
    subject: conversations,
    method: 'PUT',
    path: '/api/chat/sessions/{session_id}/notifications',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        session_id: shape.id(j).required(),
        level: shape.level(j).description('Messages that notify you while you do not read the session'),
        muted_until: j.string().isoDate().allow(null).description('No notification before this time; null ends it'),
      }),
    answer: shape.sessionNotifications,
    failures: ['session_not_found'],
    mcp: true,
  },
  'rooms.list': {
    summary: 'Lists open rooms that you can join, latest active first.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/rooms',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        query: j.string().max(200).allow('').default('').description('Part of the title or topic'),
        limit: shape.limit(j, 50),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) =>
      j.object({ items: j.array().items(shape.openRoom(j)).required(), total: j.number().integer().min(0).required() }).label('RoomPage'),
    tool: true,
  },
  'sessions.get': {
    summary: 'Shows one chat session.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/sessions/{session_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ session_id: shape.id(j).required() }),
    answer: shape.session,
    failures: ['session_not_found'],
    mcp: true,
  },
  'sessions.export': {
    summary:
      'Downloads the messages of a session, oldest first, as Markdown or as JSON; at most 32 MiB at once. Images and files are named, not included.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/sessions/{session_id}/export',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    costly: true,
    input: (j) =>
      j.object({
        session_id: shape.id(j).required(),
        format: j.string().valid('markdown', 'json').default('markdown'),
        since: j.string().max(64).description('Only messages from this ISO 8601 time on'),
        before: j.string().max(64).description('Only messages before this ISO 8601 time'),
      }),
    failures: ['session_not_found', 'export_too_large'],
    timeout_ms: 120_000,
  },
  'sessions.delete': {
    summary:
      'Deletes a chat session with its messages, after stopping its tasks. A session with another person is only hidden until the next message; a room that you do not own, you only leave.',
    subject: conversations,
    method: 'DELETE',
    path: '/api/chat/sessions/{session_id}',
    who: 'member',
    audience: 'caller',
    scope: 'chat',
    input: (j) => j.object({ session_id: shape.id(j).required() }),
    failures: ['session_not_found', 'last_owner', 'abort_unconfirmed'],
    dangerous: true,
    audited: true,
    tool: true,
  },
  'sessions.members': {
    summary: 'Lists the members of a session: people, AI employees of a room, and plugins that were added.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/sessions/{session_id}/members',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ session_id: shape.id(j).required() }),
    answer: (j) => j.array().items(shape.sessionMember(j)),
    failures: ['session_not_found'],
    tool: true,
  },
  'sessions.add_member': {
    summary:
      "Adds members to a room that you own, or a plugin's own member to a conversation of two. They can read all messages there. Adding a person or an AI employee to a conversation of two opens a room of them all.",
    subject: conversations,
    method: 'POST',
    path: '/api/chat/sessions/{session_id}/members',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        session_id: shape.id(j).required(),
        member_id: shape.memberId(j),
        member_ids: j.array().items(shape.memberId(j)).min(1).max(200),
      }),
    answer: (j) =>
      j
        .alternatives()
        .try(shape.sessionMember(j), j.array().items(shape.sessionMember(j)), shape.session(j))
        .description('The member, a list of them for `member_ids`, or the new room'),
    also: [201],
    failures: ['session_not_found', 'session_full', 'forbidden', 'abort_unconfirmed'],
    dangerous: true,
    audited: true,
    mcp: true,
  },
  'sessions.update_member': {
    summary: 'Changes the role of a member of a room that you own, or when an AI employee answers there.',
    subject: conversations,
    method: 'PUT',
    path: '/api/chat/sessions/{session_id}/members/{member_id}',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        session_id: shape.id(j).required(),
        member_id: shape.memberId(j).required(),
        role: shape.roomRole(j),
        answers: shape.answers(j).allow(null).description('Null, which the record of a person has, changes nothing'),
      }),
    answer: shape.sessionMember,
    failures: ['session_not_found', 'session_member_not_found', 'forbidden', 'last_owner'],
    audited: true,
    mcp: true,
  },
  'sessions.remove_member': {
    summary:
      "Removes a member from a room, or a plugin's own member from a conversation of two; their messages stay. With your own id you leave.",
    subject: conversations,
    method: 'DELETE',
    path: '/api/chat/sessions/{session_id}/members/{member_id}',
    who: 'member',
    audience: 'caller',
    scope: 'chat',
    input: (j) => j.object({ session_id: shape.id(j).required(), member_id: shape.memberId(j).required() }),
    failures: ['session_not_found', 'session_member_not_found', 'forbidden', 'last_owner'],
    dangerous: true,
    audited: true,
    mcp: true,
  },
  'sessions.stream': {
    summary: 'Streams the events of a session from now on: sent messages, and replies as they are written.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/stream',
    who: 'member',
    audience: 'caller',
    kind: 'stream',
    input: (j) => j.object({ session_id: shape.id(j).required(), after: shape.after(j) }),
    events: sessionEvents,
    failures: ['session_not_found'],
  },
} satisfies Operations<SessionApi>;
