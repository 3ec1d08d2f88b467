import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { placements } from './placements.js';
import { extensionFolders } from './stage.js';

/** A leak that a test plants: it changes the built code of an extension. */
export interface Leak {
  name: string;
  /** Where the secret is in the pairs that try it. In other places it would show too, but more rarely. */
  placement: string;
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
    placement: 'a message in a room that the others have left',
    changes: [
      chat(/WHERE p\.member_id = \$1 AND (p\.target_type = 'room' \$\{one\})/, 'WHERE $$1 = $$1 AND $1'),
      chat(/AND p\.member_id = \$1 AND p\.hidden = 0(\s+WHERE m\.no IN)/, 'AND $$1 = $$1$1'),
    ],
  },
  {
    name: 'a message is shown to whoever knows its id',
    placement: 'a message in private notes',
    changes: [
      chat(
        /const visible = (message\w*) && await this\.#ports\.sessions\.get\(message\w*\.session_id, member_id\);/,
        'const visible = $1;',
      ),
    ],
  },
  {
    name: 'the messages of a session are listed for whoever knows its id',
    placement: 'a message in private notes',
    changes: [chat(/if \(!root\w*\) await this\.session\(session\w*, member_id\);/, '')],
  },
  {
    name: 'a former member still gets the frames of a room',
    placement: 'a message in a room that the others have left',
    changes: [chat(/known\?\.version === room\w*\.members_version \?/, 'known ?')],
  },
  {
    name: 'unread messages of all rooms are counted',
    placement: 'in which of two former rooms Ann writes',
    changes: [chat(/(UNION ALL SELECT p\.session_id, \$\{unreadCount\w*\} FROM [^`]*?WHERE) p\.member_id = \$1/, '$1 $$1 = $$1')],
  },
  {
    name: "the list of notifications shows everybody's",
    placement: 'a notification',
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
    placement: 'the time zone',
    changes: [agents(/const zone\w* = isInRoom\w*\(run\w*\) \? null :/, 'const zone =')],
  },
  {
    name: "a room's prompt has the messages of the asker's other sessions",
    placement: 'a conversation with an AI employee',
    changes: [
      agents(
        /(const history\w* = )(await run\w*\.history\(history_limit\w*\));/,
        '$1((all) => [...all.slice(0, -1), ...((this.said ??= new Map()).get(run.asker.member_id) ?? []), ...all.slice(-1)])($2); if (!isInRoom(run)) this.said.set(run.asker.member_id, history.slice(-3));',
      ),
    ],
  },
  {
    name: "an AI employee uses the asker's rights in a room without asking",
    placement: 'the title of private notes',
    changes: [chat(/if \(audience !== "admin" \|\| room\w*\.visibility === "open"\) return decided\("ask"\);/, 'return decided("free");')],
  },
  {
    name: 'a failure names the title of the session',
    placement: "the title and topic of Ann's own room",
    changes: [
      chat(
        /(const session\w* = await this\.#ports\.sessions\.get\((id\w*), member_id\);\s+if \(!session\w*\)) throw (notThere\w*)\(id\w*\);/,
        '$1 throw $3((await this.#ports.rooms.record($2))?.title ?? $2);',
      ),
    ],
  },
  {
    name: 'mentions in all rooms are counted',
    placement: 'a mention of everybody in a room that the others have left',
    changes: [
      chat(/FROM chat_mentions n WHERE n\.session_id = p\.session_id\s+AND n\.member_id IN/, 'FROM chat_mentions n WHERE n.member_id IN'),
    ],
  },
  {
    name: "the list of approvals shows everybody's",
    placement: 'an approval that waits for Ann',
    changes: [
      agents(/WHERE d\.member_id = \$1 \$\{withStatus/, 'WHERE $$1 = $$1 ${withStatus'),
      agents(/sessions\w*\.filter\(\(_, at\) => seen\w*\[at\]\)/, 'sessions'),
    ],
  },
  {
    name: 'a file is downloaded by whoever knows its id',
    placement: 'a file in a room that the others have left',
    changes: [chat(/\(f\.uploader_id = \$2 AND f\.unsent_since IS NOT NULL\)/, '($$2 = $$2)')],
  },
  {
    name: 'members may send files of others',
    placement: 'a file that Ann has not sent',
    changes: [chat(/\{ id: \[\.\.\.ids\w*\], uploader_id: member_id \}/, '{ id: [...ids] }')],
  },
  {
    name: "an AI employee in a room reads the asker's other files",
    placement: 'a file that Ann has not sent',
    changes: [chat(/(\.visible\(file_id\w*, member_id), room\w*\?\.session_id\)/, '$1)')],
  },
  {
    name: 'the log names the files that people send',
    placement: 'a file in private notes',
    changes: [
      chat(/(const \{ created_at, sender_id \} = given;)/, '$1 for (const { name } of given.files ?? []) this.#ports.log.info(name);'),
    ],
  },
  {
    name: 'the log says what people write',
    placement: 'a message in private notes',
    changes: [chat(/(const \{ created_at, sender_id \} = given;)/, '$1 this.#ports.log.info(given.content);')],
  },
];

/** Returns a leak's seeds: those whose secret is where the leak shows early. */
export function* seedsOf({ placement }: Leak): Generator<number> {
  const first = placements.findIndex(({ name }) => name === placement);
  if (first < 0) throw new Error(`There is no placement '${placement}'`);
  for (let seed = first; ; seed += placements.length) yield seed;
}

/** Copies the platform's extensions, with the leak, into a folder. Fails if a change no longer fits the code. */
export async function planted({ name, changes }: Leak, folder: string): Promise<string[]> {
  const folders = new Map(extensionFolders.map((own) => [basename(own), own]));
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
