import type { Command } from 'commander';
import type { Context } from '../command.js';
import { print } from '../output.js';
import type { CommonFlags } from '../session.js';
import { withSession } from '../within-session.js';
import { Api } from './api.js';

const page = 200;

interface SessionRow {
  id: string;
  title: string;
  unread_count: number;
}

/** Lists the conversations that have unread messages; as JSON, the counts of all conversations. */
export async function listUnread(command: Command, context: Context): Promise<void> {
  const { json } = command.optsWithGlobals<CommonFlags & { json?: boolean | string }>();
  await withSession(command, context, async (session) => {
    const api = new Api(session);
    if (json !== undefined) print(await api.call('unread.counts', {}), { json }, context.terminal);
    else print(await unreadSessions(api), { columns: ['id', 'title', 'unread_count'] }, context.terminal);
  });
}

async function unreadSessions(api: Api): Promise<SessionRow[]> {
  const found: SessionRow[] = [];
  for (let offset = 0; ; offset += page) {
    const rows = await api.call<SessionRow[]>('sessions.list', { limit: page, offset });
    found.push(...rows.filter(({ unread_count }) => unread_count > 0));
    if (rows.length < page) return found;
  }
}
