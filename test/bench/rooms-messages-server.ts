/** A platform with a room of members who each have a token; tells them, and sends a message to the room for each order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import type { Caller } from '../../kernel/contract/index.js';
import { password, unmet } from './log-in.js';
import { RoomsTable, roomId } from './rooms-table.js';
import type { TellOrder } from './sockets.js';

const members = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const overrides = { data_dir: folder, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet };
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });
const table = new RoomsTable(join(folder, 'platform.db'));
await table.addMembers(members);
await table.addRooms([{ no: 1, members, messages: 0 }]);
await table.close();

const callerOf = (member_id: number): Caller => ({
  ...{
    member_id,
    username: `person${member_id - 2}`,
    role: 'member',
    scopes: 'all',
    door: 'direct',
    address: '',
    token_id: '',
    expires_at: 0,
  },
});
const token: string[] = [];
for (let n = 1; n <= members; n += 1) {
  const { body } = await kernel.invoke('tokens.create', { name: 'bench' }, callerOf(n === 1 ? 1 : n + 1));
  token.push((body as { token: string }).token);
}

process.on('message', async ({ pad, times }: TellOrder) => {
  const cpu = process.cpuUsage();
  const at = process.hrtime.bigint().toString();
  for (let n = 0; n < times; n += 1) await kernel.invoke('chat.send', { session_id: roomId(1), content: pad }, callerOf(3));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ at, cpu_us: user + system, memory_mb: process.memoryUsage.rss() / 2 ** 20 });
});

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({ url: `${kernel.url?.replace('http', 'ws')}/ws`, token });
