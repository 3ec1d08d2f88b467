import type { BundleEntry } from '../../kernel/platform/bundles/entries.js';
import { Emoji } from './emoji.js';
import { Faults, invalidExport } from './faults.js';
import { isObject, type Json, parseJson } from './json.js';
import type { Opened, Opening } from './opening.js';
import { lists, SlackDirectory, type SlackRoom } from './slack-directory.js';
import { SlackMessages, tsOf } from './slack-messages.js';
import { Times } from './times.js';
import type { Export, ExportedMessage, UsernameOf } from './types.js';
import { ExportZip } from './zip.js';

/** Limit of a file of the export. */
const max_json_bytes = 64 * 1024 * 1024;
const day = /^\d{4}-\d\d-\d\d\.json$/;

/** Opens an export of a Slack workspace, a ZIP. */
export async function openSlack(path: string, opening: Opening): Promise<Opened> {
  const zip = await ExportZip.open(path, opening.signal);
  try {
    return { found: await new SlackExport(path, zip, opening).read(), close: () => zip.close() };
  } catch (fault) {
    await zip.close();
    throw fault;
  }
}

/** A file with the messages of one day in one conversation. */
interface Day {
  entry: BundleEntry;
  room: SlackRoom;
  date: string;
}

class SlackExport {
  readonly #path: string;
  readonly #zip: ExportZip;
  readonly #opening: Opening;
  readonly #faults: Faults;
  readonly #times: Times;
  readonly #directory: SlackDirectory;
  /** Folder of the archive in which the export is, with a slash; usually none. */
  #prefix = '';

  constructor(path: string, zip: ExportZip, opening: Opening) {
    this.#path = path;
    this.#zip = zip;
    this.#opening = opening;
    this.#faults = new Faults(path);
    this.#times = new Times(opening.remarks, opening.now_ms);
    this.#directory = new SlackDirectory({ ...opening, times: this.#times });
  }

  /** Reads everything once, so that a damaged export changes nothing. */
  async read(): Promise<Export> {
    const users = this.#users();
    this.#prefix = users.path.slice(0, -(users.path.split('/').at(-1) as string).length);
    for (const user of await this.#list(users)) this.#directory.user(user);
    for (const [name, kind] of Object.entries(lists)) {
      const entry = this.#zip.entries.get(this.#prefix + name);
      for (const conversation of entry ? await this.#list(entry) : []) this.#directory.conversation(kind, conversation);
    }
    const days = this.#days();
    let count = 0;
    for (const { entry } of days) {
      this.#opening.signal.throwIfAborted();
      count += (await this.#list(entry)).length;
    }
    this.#faults.assertNone();
    const rooms = this.#directory.rooms.map(({ room }) => room);
    const { people } = this.#directory;
    return { people, needs_members: false, rooms, count, messages: (usernameOf) => this.#messages(days, usernameOf) };
  }

  #users(): BundleEntry {
    const found = [...this.#zip.entries.values()].filter(({ path }) => /^(?:[^/]+\/)?(?:org_)?users\.json$/.test(path));
    const [users] = found.sort((one, other) => one.path.length - other.path.length);
    if (users) return users;
    throw invalidExport(
      `${this.#path} can't be imported: it has no users.json, so it is no export of a Slack workspace. Nothing was changed`,
    );
  }

  /** Returns the objects of a file that is a list. */
  async #list(entry: BundleEntry): Promise<Json[]> {
    let list: unknown;
    const bytes = await this.#zip.read(entry, max_json_bytes);
    try {
      list = parseJson(bytes);
    } catch (fault) {
      this.#faults.add(entry.path, `it ${(fault as Error).message}`);
      return [];
    }
    if (Array.isArray(list) && list.every(isObject)) return list;
    this.#faults.add(entry.path, 'it is no list of objects');
    return [];
  }

  /** Returns the files with messages, by their dates. */
  #days(): Day[] {
    const folders = new Map<string, SlackRoom>();
    for (const room of this.#directory.rooms) for (const folder of room.folders) if (!folders.has(folder)) folders.set(folder, room);
    const found = [...this.#zip.entries.values()].flatMap((entry): Day[] => {
      const [folder = '', date = '', ...deeper] = entry.path.slice(this.#prefix.length).split('/');
      if (!entry.path.startsWith(this.#prefix) || deeper.length > 0 || !day.test(date)) return [];
      const room = folders.get(folder.normalize('NFC'));
      if (!room) this.#opening.remarks.add('folders belong to no conversation of the export and were left out', folder);
      return room ? [{ entry, room, date }] : [];
    });
    return found.sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
  }

  /** Yields the messages of one day after the other, each in the order of its times. */
  async *#messages(days: readonly Day[], usernameOf: UsernameOf): AsyncGenerator<ExportedMessage> {
    const messages = this.#reader(usernameOf, await Emoji.load());
    const last_ms = new Map<string, number>();
    for (let start = 0; start < days.length; ) {
      const { date } = days[start] as Day;
      const found: ExportedMessage[] = [];
      for (; days[start]?.date === date; start += 1) {
        const { entry, room } = days[start] as Day;
        let before_ms = last_ms.get(room.slack_id) ?? room.room.created_ms;
        for (const one of await this.#list(entry)) {
          before_ms = this.#times.of(tsOf(one.ts), before_ms);
          const message = messages.message(one, room, before_ms);
          if (message) found.push(message);
        }
        last_ms.set(room.slack_id, before_ms);
      }
      yield* found.sort((one, other) => one.created_ms - other.created_ms);
    }
  }

  #reader(usernameOf: UsernameOf, emoji: Emoji): SlackMessages {
    const { remarks } = this.#opening;
    const directory = this.#directory;
    const titles = new Map(directory.rooms.map(({ slack_id, room }) => [slack_id, room.title]));
    const names = {
      user: (id: string) => usernameOf(id) ?? directory.botName(id),
      channel: (id: string) => titles.get(id) || undefined,
    };
    return new SlackMessages({ directory, emoji, times: this.#times, remarks, names });
  }
}
