import type { Run } from '../../chat/contract.js';

/** Returns whether a run answers in a room, where others read along. */
export function isInRoom({ session }: Pick<Run, 'session'>): boolean {
  return session.target_type === 'room';
}
