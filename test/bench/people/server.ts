/** One instance of a platform; makes members and rooms for as many people as ordered. */
import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import type { Caller } from '../../../kernel/contract/index.js';
import { openData } from '../../../kernel/platform/data/hub.js';
import { password, unmet } from '../log-in.js';
import { addPeople } from './members.js';
import { person as habits, installation, people_per_admin } from './model.js';
import { group_title, type Identity } from './person.js';
import { randomOf, randomText } from './words.js';

/** The number of people that members and rooms are wanted for. */
export interface GrowOrder {
  total: number;
}

/** Messages in each room of a team at the start, so that pages are full. */
const first_messages = 300;
const first_writers = 20;
/** Members per request that adds them: its limit. */
const batch = 200;

const [data_dir = '', database_url = 'sqlite:', bus_url = 'memory:'] = process.argv.slice(2);
const overrides = {
  data_dir,
  database_url,
  bus_url,
  secret_key: 'a master key for benchmarks, 32 chars',
  port: 0,
  log_level: 'error',
  'members.admin_password': password,
  ...unmet,
};
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });
const owner = await kernel.localCaller('direct');
/** The rooms of each team, in which all of its members are. */
const teams: string[][] = [];
let people = 0;

process.on('message', ({ total }: GrowOrder) => {
  grow(total).then(
    (added) => process.send?.(added),
    (fault: unknown) => {
      console.error(fault);
      process.exit(1);
    },
  );
});
process.on('SIGTERM', async () => {
  await kernel.close();
  process.exit(0);
});
process.send?.({ url: kernel.url });

/** Adds people until there are so many; returns the new ones. */
async function grow(total: number): Promise<Identity[]> {
  const added = await makeMembers(total);
  if (teams.length === 0) for (let team = 1; team <= installation.teams; team += 1) teams.push(await makeRooms(team));
  for (const [at, rooms] of teams.entries())
    await addToRooms(
      rooms,
      added.filter((_, n) => (people + n) % teams.length === at),
    );
  if (people === 0) await furnish(added);
  people += added.length;
  return added;
}

async function makeMembers(total: number): Promise<Identity[]> {
  const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const data = await openData({ url: database_url, data_dir, clock, log: silent, serves: false });
  try {
    const named = await addPeople(data.facade('members'), { first: people + 1, last: total, admin_every: people_per_admin });
    const identities: Identity[] = [];
    for (const { id, username, role } of named) {
      const { body } = await kernel.invoke('tokens.create', { name: 'bench' }, callerOf(id));
      identities.push({ member_id: id, username, token: (body as { token: string }).token, is_admin: role === 'admin' });
    }
    return identities;
  } finally {
    await data.close();
  }
}

async function makeRooms(team: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= installation.rooms_of_team; n += 1)
    ids.push(await makeRoom(owner, `Team ${team} room ${n}`, { visibility: 'open' }));
  return ids;
}

async function addToRooms(rooms: readonly string[], members: readonly Identity[]): Promise<void> {
  const ids = members.map(({ member_id }) => member_id);
  for (const session_id of rooms)
    for (let start = 0; start < ids.length; start += batch)
      await kernel.invoke('sessions.add_member', { session_id, member_ids: ids.slice(start, start + batch) }, owner);
}

/** Makes the further channels of the installation, and the first messages. */
async function furnish(all: readonly Identity[]): Promise<void> {
  const ids = all.map(({ member_id }) => member_id);
  const any = () => randomOf(ids) as number;
  const counts = installation;
  for (let n = 1; n <= counts.open; n += 1) await makeRoom(callerOf(any()), `Open ${n}`, { visibility: 'open' });
  for (let n = 1; n <= counts.private; n += 1) await makeRoom(callerOf(any()), `Private ${n}`, {});
  for (let n = 1; n <= counts.group; n += 1)
    await makeRoom(callerOf(ids[0] as number), `${group_title} ${n}`, { member_ids: ids.slice(1, 3) });
  for (let n = 1; n <= counts.direct; n += 1)
    await kernel.invoke('contacts.start', { member_id: ids[(n * 2 + 1) % ids.length] }, callerOf(ids[(n * 2) % ids.length] as number));
  for (const [team, rooms] of teams.entries()) {
    const writers = ids.filter((_, n) => n % teams.length === team).slice(0, first_writers);
    for (const session_id of rooms) await writeFirst(session_id, writers);
  }
}

async function writeFirst(session_id: string, writers: readonly number[]): Promise<void> {
  const roots: string[] = [];
  for (let n = 0; n < first_messages; n += 1) {
    const thread_id = Math.random() < habits.replies ? randomOf(roots) : undefined;
    const content = randomText(thread_id ? 24 : 35);
    const input = { session_id, content, ...(thread_id && { thread_id }) };
    const { body } = await kernel.invoke('chat.send', input, callerOf(randomOf(writers) as number));
    if (!thread_id) roots.push((body as { message_id: string }).message_id);
  }
}

async function makeRoom(caller: Caller, title: string, room: { visibility?: string; member_ids?: number[] }): Promise<string> {
  const { body } = await kernel.invoke('sessions.create', { title, target_type: 'room', target_id: '', ...room }, caller);
  return (body as { id: string }).id;
}

function callerOf(member_id: number): Caller {
  const common = { role: 'member', scopes: 'all', door: 'direct', address: '', token_id: '', expires_at: 0 } as const;
  return { member_id, username: '', ...common };
}
