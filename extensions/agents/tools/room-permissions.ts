import type { Tool } from '../../../kernel/contract/index.js';
import type { RunRoom } from '../../chat/contract.js';

/** A permission to use a tool in a room, while the room stays as it is. */
export interface RoomPermission {
  /** Whether the asking member must approve the call. */
  asks: boolean;
  version: string;
  /** Whether the result is for the present members only. */
  is_private: boolean;
}

export const room_gone = 'The room is gone, or the member you work for has left it (room_gone)';
export const room_changed = 'The members of the room have changed in the meantime, so this was not done. Ask again if it is still needed.';

/** Returns the permission to use a tool in a room; undefined if the room is gone for the asking member. */
export async function permissionIn(room: RunRoom, tool: Tool, input: object): Promise<RoomPermission | undefined> {
  const { audience = 'caller', session_key, within_room = false } = tool;
  const given = session_key === undefined ? undefined : (input as Record<string, unknown>)[session_key];
  const about = within_room ? room.session_id : given;
  const call = { audience, session_id: typeof about === 'string' ? about : undefined };
  const { verdict, version } = await room.decide(call);
  if (verdict === 'gone') return undefined;
  const is_private = verdict === 'ask' || (audience === 'admin' && call.session_id !== room.session_id);
  return { asks: verdict === 'ask', version, is_private };
}
