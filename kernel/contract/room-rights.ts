import type { Caller, OperationAudience } from './operation.js';

/** The room in which an AI employee acts for a caller. Its members read what comes of it. */
export interface CallerRoom {
  readonly session_id: string;
  /** Number of the room, unique on the platform; undefined if the caller uses no work node. */
  readonly number?: number | undefined;
  /** Whether the asking member has approved this call, knowing that everybody in the room sees the result. */
  readonly approved: boolean;
}

/** A call on behalf of a room. */
export interface RoomCall {
  readonly audience: OperationAudience;
  /** The session that its answer and effect concern alone; undefined if there is none. */
  readonly session_id?: string | undefined;
}

/**
 * - `free`: everyone in the room may do and see the same.
 * - `ask`: only the asking member may, and must approve it.
 * - `gone`: the room is gone, or the asking member is not in it.
 */
export type RoomVerdict = 'free' | 'ask' | 'gone';

/**
 * The slot `rooms.rights`: the rule for all calls on behalf of a room, whether of tools, schedules or plugins. Without a contribution every
 * such call is refused.
 */
export interface RoomRights {
  /** Decides by the members of the room now. */
  decide(call: RoomCall, caller: Pick<Caller, 'member_id'>, session_id: string): Promise<RoomVerdict>;
}

/** Returns the sentence that a member reads before approving a call in a room. */
export function roomNotice({ title, session_id }: { title: string; session_id: string }): string {
  return `It uses your rights, and everyone in the room '${title}' (${session_id}) will see the result.`;
}
