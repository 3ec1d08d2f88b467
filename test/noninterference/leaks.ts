import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownExtension } from '../helpers/folders.js';

/** A leak that a test plants: it changes the built code of an extension. */
export interface Leak {
  name: string;
  /** First seed to try: with it the secret is where this leak shows early. Others would find it too, but later. */
  from: number;
  changes: readonly Change[];
}

interface Change {
  extension: string;
  pattern: RegExp;
  /** As for `String.replace`. */
  by: string;
}

const chat = (pattern: RegExp, by: string): Change => ({ extension: 'chat', pattern, by });
const agents = (pattern: RegExp, by: string): Change => ({ extension: 'agents', pattern, by });

/** Ways to break the rights, each of which the pairs must find. */
export const leaks: readonly Leak[] = [
  {
    name: 'the search finds messages of all rooms',
    from: 7,
    changes: [
      chat(/WHERE p\.member_id = \$1 AND (p\.target_type = 'room' \$\{one\})/, 'WHERE $$1 = $$1 AND $1'),
      chat(/AND p\.member_id = \$1 AND p\.hidden = 0(\s+WHERE m\.no IN)/, 'AND $$1 = $$1$1'),
    ],
  },
  {
    name: 'a message is shown to whoever knows its id',
    from: 1,
    changes: [
      chat(
        /const visible = (message\w*) && await this\.#ports\.sessions\.get\(message\w*\.session_id, member_id\);/,
        'const visible = $1;',
      ),
    ],
  },
  {
    name: 'the messages of a session are listed for whoever knows its id',
    from: 1,
    changes: [chat(/if \(!root\w*\) await this\.session\(session\w*, member_id\);/, '')],
  },
  {
    name: 'a former member still gets the frames of a room',
    from: 7,
    changes: [chat(/known\?\.version === room\w*\.members_version \?/, 'known ?')],
  },
  {
    name: 'unread messages of all rooms are counted',
    from: 9,
    changes: [chat(/(UNION ALL SELECT p\.session_id, \$\{unreadCount\w*\} FROM [^`]*?WHERE) p\.member_id = \$1/, '$1 $$1 = $$1')],
  },
  {
    name: "the list of notifications shows everybody's",
    from: 11,
    changes: [
      {
        extension: 'notifications',
        pattern: /SELECT id FROM notifications_items WHERE member_id = \$1/,
        by: 'SELECT id FROM notifications_items WHERE $$1 = $$1',
      },
    ],
  },
  {
    name: "a room's prompt names the time zone of the asker",
    from: 12,
    changes: [agents(/const zone\w* = isInRoom\w*\(run\w*\) \? null :/, 'const zone =')],
  },
  {
    name: "a room's prompt has the messages of the asker's other sessions",
    from: 21,
    changes: [
      agents(
        /(const history\w* = )(await run\w*\.history\(history_limit\w*\));/,
        '$1[...((globalThis.said ??= new Map()).get(run.asker.member_id) ?? []), ...$2]; if (!isInRoom(run)) globalThis.said.set(run.asker.member_id, history.slice(-3));',
      ),
    ],
  },
  {
    name: "an AI employee uses the asker's rights in a room without asking",
    from: 0,
    changes: [chat(/if \(audience !== "admin" \|\| room\w*\.visibility === "open"\) return decided\("ask"\);/, 'return decided("free");')],
  },
  {
    name: 'a failure names the title of the session',
    from: 6,
    changes: [
      chat(
        /(const session\w* = await this\.#ports\.sessions\.get\((id\w*), member_id\);\s+if \(!session\w*\)) throw (notThere\w*)\(id\w*\);/,
        '$1 throw $3((await this.#ports.rooms.record($2))?.title ?? $2);',
      ),
    ],
  },
  {
    name: 'the log says what people write',
    from: 1,
    changes: [chat(/(const \{ created_at, sender_id \} = given;)/, '$1 this.#ports.log.info(given.content);')],
  },
];

/** Copies the platform's extensions, with the leak, into a folder. Fails if a change no longer fits the code. */
export async function planted({ name, changes }: Leak, folder: string): Promise<string[]> {
  const ids = ['system', 'members', 'chat', 'agents', 'notifications', 'schedules'];
  const folders = new Map(ids.map((id) => [id, ownExtension(id)]));
  for (const { extension, pattern, by } of changes) {
    const [from, to] = [folders.get(extension) as string, join(folder, extension)];
    if (from !== to) {
      await mkdir(to, { recursive: true });
      for (const file of ['manifest.json', 'index.cjs']) await cp(join(from, file), join(to, file));
    }
    const code = await readFile(join(to, 'index.cjs'), 'utf8');
    const broken = code.replace(pattern, by);
    if (broken === code) throw new Error(`The leak '${name}' no longer fits ${extension}: nothing matches ${pattern}`);
    await writeFile(join(to, 'index.cjs'), broken);
    folders.set(extension, to);
  }
  return [...folders.values()];
}
