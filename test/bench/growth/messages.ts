import { join } from 'node:path';
import { openData } from '../../../kernel/platform/data/hub.js';
import { Filler, messageId } from '../search-messages.js';
import { AskedServer } from './asked.js';
import { BesideStatements, type Compared } from './beside-statements.js';
import type { Effort } from './effort.js';
import { DatabaseFile } from './file.js';
import { makeFolder, removeFolder } from './folder.js';
import type { Cost, Growing, Grown } from './growth.js';

const table = 'chat_messages';
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { now: () => Date.now(), iso: () => new Date().toISOString() };
/** The administrator sees most of the messages, the AI employee of the first start few. */
const [most, few] = [1, 2];

/** Messages of many members, in the real tables and the real index; none of them was sent. Each size has a platform of its own. */
export function messages(sizes: readonly number[], effort: Effort): Growing {
  return { of: 'messages', unit: 'request', sizes, open: async () => new GrownMessages(effort) };
}

class GrownMessages implements Grown {
  readonly #effort: Effort;

  constructor(effort: Effort) {
    this.#effort = effort;
  }

  async at(size: number): Promise<Cost[]> {
    const folder = await makeFolder();
    try {
      const ours = await AskedServer.start('./growth/server.js', [folder]);
      const long = await fill(folder, size);
      const path = join(folder, 'platform.db');
      const file = new DatabaseFile(path);
      const servers = await BesideStatements.start(ours, path, comparedAt(size, { long, sessions: await sessionsOf(file) }));
      await file.close();
      try {
        return await servers.costs(this.#effort);
      } finally {
        await servers.stop();
      }
    } finally {
      await removeFolder(folder);
    }
  }

  async close(): Promise<void> {}
}

function comparedAt(size: number, { long, sessions }: { long: string; sessions: number }): Compared[] {
  const ids = Array.from({ length: 20 }, (_, n) => `'${messageId(1 + Math.floor((n * size) / 20))}'`).join();
  const byIds = `SELECT * FROM ${table} WHERE id IN (${ids})`;
  const page = (before: string) => `SELECT * FROM ${table} WHERE session_id = '${long}' ${before} ORDER BY created_at DESC LIMIT 50`;
  const middle = `(SELECT created_at FROM ${table} WHERE id = '${messageId(size / 2 + 2)}')`;
  const found = (q: string) => () => ({ path: `/api/chat/messages/search?limit=20&q=${q}` });
  const paged = (before: string) => () => ({ path: `/api/chat/messages?session_id=${long}&limit=50${before}` });
  return [
    { what: 'a search for a frequent word', ask: found('frequent'), statement: byIds },
    { what: 'a search for two that are never together', ask: found('left%20right'), statement: byIds },
    { what: 'a search for a rare word', ask: found('unique'), statement: byIds },
    { what: 'the newest page of a long session', ask: paged(''), statement: page('') },
    { what: 'a page from its middle', ask: paged(`&before=${messageId(size / 2 + 2)}`), statement: page(`AND created_at < ${middle}`) },
    {
      what: 'a page of sessions',
      ask: () => ({ path: '/api/chat/sessions?limit=20' }),
      statement: `SELECT s.*, p.unread_count FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
        WHERE p.member_id = ${most} AND p.hidden = 0 ORDER BY p.activity_at DESC, p.session_id DESC LIMIT 20`,
    },
    {
      what: 'the unread count of a session',
      ask: () => ({ path: '/api/chat/unread-counts' }),
      statement: `SELECT session_id, unread_count FROM chat_participants WHERE member_id = ${most} AND hidden = 0`,
      units: sessions,
    },
    {
      what: 'a send',
      ask: (n) => ({ method: 'POST', path: '/api/chat/send', body: { session_id: long, content: `Report ${n} is due next week` } }),
      statement: `INSERT INTO ${table} (id, session_id, role, sender_id, sender_name, content, images, status, tool_calls, seq, created_at, updated_at, no)
        SELECT hex(randomblob(16)), hex(randomblob(16)), 'user', ${few}, 'Somebody', 'Report 1 is due next week', '[]', 'completed', '[]', 1,
          '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', (SELECT max(no) + 1 FROM ${table})`,
      max: 100,
    },
  ];
}

/** Beside the platform, which looks at none of it meanwhile. Gives the session that holds every second message. */
async function fill(data_dir: string, size: number): Promise<string> {
  const data = await openData({ url: 'sqlite:', data_dir, clock, log: silent });
  try {
    const db = data.facade('chat');
    const filler = new Filler(db, async (sql) => void (await db.run(sql)), { messages: size, most, few, long: true });
    return (await filler.fill()).long_id as string;
  } finally {
    await data.close();
  }
}

async function sessionsOf(file: DatabaseFile): Promise<number> {
  return file.count(`chat_participants WHERE member_id = ${most} AND hidden = 0`);
}
