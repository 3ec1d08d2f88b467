import type { About, Kind } from './contract.js';

/** All kinds, in display order. */
export const kinds = [
  'direct_message',
  'mention',
  'room_message',
  'answer',
  'approval',
  'invitation',
  'report',
  'limit_reached',
  'budget',
  'run_finished',
  'run_failed',
  'schedule_stopped',
  'node_offline',
  'node_incident',
  'plugin_failed',
  'review_waiting',
  'review_decided',
  'notice',
] as const satisfies readonly Kind[];

/** Kinds that become read when their conversation is read. */
export const conversationKinds = ['direct_message', 'mention', 'room_message', 'answer', 'invitation'] as const satisfies readonly Kind[];

/** Ids of a notification without a subject. */
export const noSubject: About = {
  session_id: null,
  message_id: null,
  task_id: null,
  approval_id: null,
  schedule_id: null,
  run_id: null,
  node_id: null,
  extension_id: null,
  from_member_id: null,
};
