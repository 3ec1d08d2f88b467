import type { Sent } from './conversation.js';

type Absent = Sent['not_in_room'];

/** Returns the sentence about people whom a message mentions but who are not in its room. */
export function notInRoom(absent: Absent): string {
  return `${namesOf(absent)} ${areOrIs(absent)} not in this room and cannot see the message; an owner of the room can add them`;
}

/** Returns the remark to an owner who is asked whether to add them. */
export function addableRemark(absent: Absent): string {
  return `${namesOf(absent)} ${areOrIs(absent)} not in this room. People who are added can read all of it, also earlier messages.`;
}

export function namesOf(absent: Absent): string {
  const names = absent.map(({ username }) => username);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

function areOrIs({ length }: Absent): string {
  return length === 1 ? 'is' : 'are';
}
