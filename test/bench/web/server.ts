/** A platform with rooms and AI employees, and control pages; writes to the AI employees for each order. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import type { Caller } from '../../../kernel/contract/index.js';
import { logIn, password, unmet } from '../log-in.js';
import { RoomsTable, roomId } from '../rooms-table.js';
import { startControl } from './control.js';

export interface WebServer {
  url: string;
  /** Address of the control pages. */
  control: string;
  token: string;
  /** Conversation in which AI employees answer. */
  long: string;
  /** Conversations to switch between. */
  others: string[];
}

/** Asks the AI employees again and again, or for the last time. */
export type WebOrder = 'stream' | 'stop';

const employees = 5;
const messages_of_others = 60;
const [base_url = '', messages = '1000', conversations = '5'] = process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const settings = { 'agents.model.base_url': base_url, 'agents.model.name': 'scripted', 'agents.model.api_key': 'none' };
const overrides = { data_dir: folder, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet, ...settings };
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });
const control = await startControl();

const admin: Caller = {
  ...{ member_id: 1, username: 'admin', role: 'admin', scopes: 'all', door: 'direct', address: '', token_id: '', expires_at: 0 },
};

const table = new RoomsTable(join(folder, 'platform.db'));
await table.addMembers(3);
const rooms = Array.from({ length: Number(conversations) }, (_, index) => ({ no: index + 2, members: 3, messages: messages_of_others }));
await table.addRooms([{ no: 1, members: 3, messages: Number(messages) }, ...rooms]);
await table.close();

const long = roomId(1);
const names: string[] = [];
for (let n = 1; n <= employees; n += 1) {
  const { body } = await kernel.invoke('members.create_virtual', { name: `Agent ${n}` }, admin);
  const { id, username } = body as { id: number; username: string };
  await kernel.invoke('sessions.add_member', { session_id: long, member_id: id }, admin);
  names.push(`@${username}`);
}

let isWanted = false;
let streaming: Promise<void> = Promise.resolve();

async function stream(): Promise<void> {
  while (isWanted) {
    await kernel.invoke('chat.send', { session_id: long, content: `${names.join(' ')} go on` }, admin);
    do await sleep(200);
    while (await areActive());
  }
}

async function areActive(): Promise<boolean> {
  const { body } = await kernel.invoke('tasks.active', {}, admin);
  return (body as unknown[]).length > 0;
}

process.on('message', async (order: WebOrder) => {
  isWanted = order === 'stream';
  if (isWanted) streaming = stream();
  else await streaming;
  process.send?.({});
});

process.on('SIGTERM', async () => {
  isWanted = false;
  await control.stop();
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({
  url: kernel.url ?? '',
  control: control.url,
  token: await logIn(kernel),
  long,
  others: rooms.map(({ no }) => roomId(no)),
} satisfies WebServer);
