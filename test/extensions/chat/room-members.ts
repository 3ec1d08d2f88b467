import type { Test } from 'tap';
import type { Session } from '../../../extensions/chat/contract.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { administrator, type Someone, someone } from './world.js';

/** Returns this many new people. */
export async function people(t: Test, platform: TestPlatform, count: number): Promise<Someone[]> {
  const found: Someone[] = [];
  for (let n = 0; n < count; n += 1) found.push(await someone(t, platform));
  return found;
}

/** Opens a room of a person, who owns it, and others. */
export async function roomOf(owner: Someone, others: readonly { id: number }[], more: object = {}): Promise<Session> {
  return owner.http.sessions.create({
    title: 'Plans',
    target_type: 'room',
    target_id: '',
    member_ids: others.map(({ id }) => id),
    ...more,
  });
}

/** Creates an AI employee. */
export async function employee(platform: TestPlatform, name: string): Promise<{ id: number; username: string }> {
  const { id, username } = await administrator(platform).members.create_virtual({ name, post: '', mode: 'assistant' });
  return { id, username };
}
