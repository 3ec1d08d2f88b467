import { fail } from '../../contract/failure.js';
import type { Caller } from '../../contract/operation.js';
import type { RoomRights } from '../../contract/room-rights.js';
import type { ActiveOperation } from '../catalog/catalog.js';
import { audienceOf } from './authorise.js';

/** Path prefix of plugins' operations. The kernel does not know how such an operation uses the id of a session. */
const foreign_prefix = '/api/x/';

/** Fails with `room_gone` or `forbidden` unless an AI employee may call the operation for the room in which it acts. */
export async function authoriseInRoom(
  { id, operation }: ActiveOperation,
  input: object,
  caller: Caller,
  rights: () => RoomRights | undefined,
): Promise<void> {
  const { room } = caller;
  if (!room) return;
  const isForeign = operation.path.startsWith(foreign_prefix);
  const { session_id } = input as { session_id?: unknown };
  const call = { audience: audienceOf(operation), session_id: isForeign || typeof session_id !== 'string' ? undefined : session_id };
  const verdict = (await rights()?.decide(call, caller, room.session_id)) ?? 'ask';
  if (verdict === 'gone') throw fail('room_gone', 'The room from which this was started is gone, or the member who started it has left it');
  if (verdict === 'free' || room.approved) return;
  throw fail('forbidden', `${id} would show the members of a room more than each of them may see, and nobody has approved that`);
}
