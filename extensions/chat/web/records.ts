import type { ToolEffect } from '../../../kernel/contract/tool.js';
import type { Message } from '../contract.js';

/** Parts of an approval that a conversation shows; `approvals.get` of the AI employees returns all of it. */
export interface Approval {
  id: string;
  session_id: string;
  task_id: string;
  tool_call_id: string;
  /** AI employee that asks. */
  member_id: number;
  /** Member with whose rights the tool runs. */
  requested_by: number;
  name: string;
  /** Null where the stream of a room hides it. */
  input: unknown;
  effect: ToolEffect;
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled';
  reason: string;
  decided_by_name: string | null;
  expires_at: string;
  /** Title of the room whose members will all see the result; null outside of rooms. */
  room_title: string | null;
}

/** A frame about a message. If it was too long for a frame, it has only the start of its text. */
export interface MessageFrame {
  message: Message;
  truncated: boolean;
}
