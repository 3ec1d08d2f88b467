import { join } from 'node:path';
import { AskedServer } from './asked.js';
import { BesideStatements, type Compared } from './beside-statements.js';
import type { Effort } from './effort.js';
import { DatabaseFile } from './file.js';
import { makeFolder, removeFolder } from './folder.js';
import type { Cost, Growing, Grown } from './growth.js';

const record = 'id, username, nickname, role, is_virtual, remote_node_id, created_at';
const table = 'members_members';
const people = `${table} WHERE is_virtual = 0`;
const named = `${table} WHERE search LIKE '%needle%'`;
const byName = `SELECT ${record} FROM ${table} ORDER BY name_key, id LIMIT 20`;
/** Members that one has talked with. */
const partners = 50;

const compared: readonly Compared[] = [
  {
    what: 'the first page of all',
    ask: () => ({ path: '/api/members?page_size=20' }),
    statement: `SELECT ${record}, (SELECT count(*) FROM ${table}) AS total FROM ${table} ORDER BY id LIMIT 20`,
  },
  {
    what: 'the first page of people',
    ask: () => ({ path: '/api/members?page_size=20&is_virtual=false' }),
    statement: `SELECT ${record}, (SELECT count(*) FROM ${people}) AS total FROM ${people} ORDER BY id LIMIT 20`,
  },
  {
    what: 'one by a part of its name',
    ask: () => ({ path: '/api/members?keyword=needle' }),
    statement: `SELECT ${record}, (SELECT count(*) FROM ${named}) AS total FROM ${named} ORDER BY id LIMIT 20`,
  },
  {
    what: 'one by its id',
    ask: (n) => ({ path: `/api/members/${3 + (n % 90)}` }),
    statement: `SELECT ${record} FROM ${table} WHERE id = 50`,
  },
  {
    what: 'the first page of contacts',
    ask: () => ({ path: '/api/chat/contacts?limit=20' }),
    statement: byName,
  },
  {
    what: 'a page of contacts with whom one has not talked',
    ask: () => ({ path: `/api/chat/contacts?limit=20&offset=${partners}` }),
    statement: byName,
  },
  {
    what: 'adding an AI employee',
    ask: () => ({ method: 'POST', path: '/api/members/virtual', body: { name: 'Employee' } }),
    statement: `INSERT INTO ${table} (username, username_key, nickname, search, name_key, role, is_virtual, created_at)
      SELECT 'made' || random(), 'made' || random(), 'Made', 'made', 'made', 'member', 1, '2026-01-01T00:00:00.000Z'`,
    max: 20,
  },
];

/** Members, of whom one in a hundred is an AI employee. */
export function members(sizes: readonly number[], effort: Effort): Growing {
  return { of: 'members', unit: 'request', sizes, open: () => GrownMembers.open(effort) };
}

class GrownMembers implements Grown {
  readonly #effort: Effort;
  readonly #folder: string;
  readonly #file: DatabaseFile;
  readonly #servers: BesideStatements;

  private constructor({
    effort,
    folder,
    servers,
    file,
  }: { effort: Effort; folder: string; servers: BesideStatements; file: DatabaseFile }) {
    this.#effort = effort;
    this.#folder = folder;
    this.#servers = servers;
    this.#file = file;
  }

  static async open(effort: Effort): Promise<GrownMembers> {
    const folder = await makeFolder();
    const ours = await AskedServer.start('./growth/server.js', [folder]);
    const path = join(folder, 'platform.db');
    const file = new DatabaseFile(path);
    return new GrownMembers({ effort, folder, file, servers: await BesideStatements.start(ours, path, compared) });
  }

  async at(size: number): Promise<Cost[]> {
    const there = await this.#file.count(table);
    if (there < size) await this.#fill(there + 1, size);
    if (there < partners) await this.#talk();
    return this.#servers.costs(this.#effort);
  }

  async close(): Promise<void> {
    await this.#file.close();
    await this.#servers.stop();
    await removeFolder(this.#folder);
  }

  async #fill(first: number, last: number): Promise<void> {
    await this.#file.rows(
      `INSERT INTO ${table} (username, username_key, nickname, search, name_key, role, is_virtual, created_at)
       WITH RECURSIVE numbers(n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}),
       names AS (SELECT n, 'person' || n AS username, CASE WHEN n = 60 THEN 'Needle' ELSE 'Person ' || ((n * 7919) % 1000003) END AS nickname FROM numbers)
       SELECT username, username, nickname, lower(username || char(10) || nickname), lower(nickname), 'member', n % 100 = 0, '2026-01-01T00:00:00.000Z' FROM names`,
    );
  }

  /** The administrator has a session with each of the partners. */
  async #talk(): Promise<void> {
    const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${partners + 2})`;
    const id = "'01900000-0000-7000-8000-' || printf('%012d', n)";
    const at = "'2026-01-01T00:00:' || printf('%02d', n) || '.000Z'";
    await this.#file.rows(
      `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_at, last_message_preview, last_ms)
       ${numbers} SELECT ${id}, '', 'member', 1, ${at}, ${at}, ${at}, 'Hello', 0 FROM numbers`,
    );
    for (const [member, target] of [
      ['1', 'n'],
      ['n', '1'],
    ]) {
      await this.#file.rows(
        `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
         ${numbers} SELECT ${id}, ${member}, 'member', ${target}, 0, 0, ${at} FROM numbers`,
      );
    }
    await this.#file.rows(`INSERT INTO chat_pairs (low_id, high_id, session_id) ${numbers} SELECT 1, n, ${id} FROM numbers`);
  }
}
