import type { Message } from '../contract.js';

/** A tool call that waits for a person's decision. */
export interface Approval {
  id: string;
  session_id: string;
  task_id: string;
  /** Reply that is being written. */
  message_id: string;
  tool_call_id: string;
  /** AI employee that asks. */
  member_id: number;
  /** Member with whose rights the tool runs. */
  requested_by: number;
  /** Name of the tool. */
  name: string;
  /** Null in streams of rooms, which several members read. */
  input: unknown;
  effect: 'read' | 'write' | 'dangerous';
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';
  reason: string;
  decided_by_name: string | null;
  expires_at: string;
  /** Title of the room whose members all see the result; null outside of rooms. */
  room_title: string | null;
}

/** A frame about a message. If it was too long for a frame, it has only the start of its text. */
export interface MessageFrame {
  message: Message;
  truncated: boolean;
}
