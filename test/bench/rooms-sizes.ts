import { join } from 'node:path';
import { type Ask, AskedServer } from './growth/asked.js';
import type { Effort } from './growth/effort.js';
import { makeFolder, removeFolder } from './growth/folder.js';
import { RoomsTable, roomId, type StoredRoom } from './rooms-table.js';
import { median } from './statistics.js';

const rounds = 9;
/** Rooms that messages are sent to, the smallest first. */
const sizes = [2, 50, 5_000];
const sent: StoredRoom[] = sizes.map((members, at) => ({ no: at + 1, members, messages: 0 }));
/** Rooms of the list, ten of them with many messages. */
const listed: StoredRoom[] = Array.from({ length: 200 }, (_, at) => ({ no: at + 101, members: 5, messages: at < 10 ? 100_000 : 10 }));

const list: Ask = { path: '/api/chat/sessions?target_type=room&limit=200' };
const byHand = `SELECT s.id, s.title, p.target_type, p.target_id, s.created_by, s.created_at, s.updated_at, s.last_message_at,
  s.last_message_preview, s.active_task_id, s.visibility, s.topic, s.member_count, p.role, p.level, p.muted_until,
  s.message_count - p.read_count AS unread_count, (SELECT count(*) FROM chat_mentions n WHERE n.session_id = p.session_id
    AND n.member_id IN (0, 1) AND n.created_at > p.read_at AND n.sender_id <> 1) AS mention_count
  FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
  WHERE p.member_id = 1 AND p.target_type = 'room' ORDER BY s.last_message_at DESC, s.id DESC LIMIT 200`;

/** Sends to rooms of several sizes, and a list of rooms beside the same statement by hand. No sockets are connected. */
export async function roomSizes(): Promise<Record<string, unknown>[]> {
  const folder = await makeFolder();
  try {
    const ours = await AskedServer.start('./growth/server.js', [folder]);
    const path = join(folder, 'platform.db');
    const table = new RoomsTable(path);
    await table.addMembers(Math.max(...sizes));
    await table.addRooms([...sent, ...listed]);
    await table.close();
    const limit = await AskedServer.start('./limits/statements.js', [path, JSON.stringify([byHand])]);
    try {
      return [await listOfRooms(ours, limit), ...(await sends(ours))];
    } finally {
      await limit.stop();
      await ours.stop();
    }
  } finally {
    await removeFolder(folder);
  }
}

async function listOfRooms(ours: AskedServer, limit: AskedServer): Promise<Record<string, unknown>> {
  const effort: Effort = { warm: { requests: 100, ms: 1_000 }, counted: { requests: 100, ms: 2_000 } };
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1)
    pairs.push([(await ours.cost(() => list, effort)).cpu_us, (await limit.cost(() => ({ path: '/0' }), effort)).cpu_us]);
  return {
    case: 'a list of 200 rooms, ten of them with 100,000 messages',
    cpu_us: median(pairs.map(([cpu_us]) => cpu_us)),
    limit_cpu_us: median(pairs.map(([, cpu_us]) => cpu_us)),
    times_limit: median(pairs.map(([mine, its]) => mine / its)),
  };
}

async function sends(ours: AskedServer): Promise<Record<string, unknown>[]> {
  const effort: Effort = { warm: { requests: 50, ms: 1_000 }, counted: { requests: 150, ms: 3_000 } };
  const costs: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one: number[] = [];
    // In turn, so that a machine that grows slower meets all sizes alike.
    for (const { no } of sent) one.push((await ours.cost(sendTo(no), effort)).cpu_us);
    costs.push(one);
  }
  return sent.map(({ members }, at) => ({
    case: 'a message to a room without sockets',
    members,
    cpu_us: median(costs.map((one) => one[at] as number)),
    times_smallest: median(costs.map((one) => (one[at] as number) / (one[0] as number))),
  }));
}

function sendTo(no: number): (n: number) => Ask {
  return (n) => ({ method: 'POST', path: '/api/chat/send', body: { session_id: roomId(no), content: `Report ${n} is due next week` } });
}
