import { fail as failCore, failures } from '../contract/failure.js';
import type { ReferenceKind } from '../contract/manifest.js';
import { nearestName } from '../contract/nearest.js';
import { isUuid, shortIds } from './short-ids.js';

/** Calls an operation of the installation. */
export type Ask = (operation: string, input: object) => Promise<unknown>;

/** A record that a name or a part of an id may refer to. */
interface Candidate {
  id: number | string;
  /** Its name; empty if it has only an id. */
  name: string;
  about: string;
}

interface Kind {
  noun: string;
  /** Failure code if there is no such record. */
  code: string;
  hasUuids?: boolean;
  /** Whether a text that is no part of a UUID is a name. Default: only if there are no UUIDs. */
  hasNames?: boolean;
  /** Finds records with this name, or with this part of an id. */
  find: (wanted: string, ask: Ask) => Promise<Candidate[]>;
  /** Finds records among which are those whose names begin with a text. Default: `similar`. */
  beginning?: (text: string, ask: Ask) => Promise<Candidate[]>;
  /** Finds records whose names a mistyped one is compared with. */
  similar?: (wanted: string, ask: Ask) => Promise<Candidate[]>;
  /** Returns the record of an id. Fails if there is none. */
  get: (id: number | string, ask: Ask) => Promise<Candidate>;
}

type Fields = Readonly<Record<string, unknown>>;

const page = 200;
/** Limits the pages that are read to find a record by its name. */
const max_pages = 50;
const max_shown = 10;
const max_names = 100;
const failRead = failures({ reference_ambiguous: 409 });

/**
 * Returns the id that a text refers to. Digits alone and full UUIDs are ids and need no request; a leading `@` marks a name.
 *
 * @throws the kind's code for "not found", with similar names; `reference_ambiguous` with all matches
 */
export async function idOf(kind: ReferenceKind, text: string, ask: Ask): Promise<number | string> {
  const { noun, code, hasUuids = false, hasNames = !hasUuids, find, similar } = kinds[kind];
  const isName = text.startsWith('@');
  const wanted = isName ? text.slice(1) : text;
  if (!isName && (hasUuids ? isUuid(wanted) : /^\d+$/.test(wanted))) return hasUuids ? wanted.toLowerCase() : Number(wanted);
  if (!hasNames && !part.test(wanted))
    throw failCore(
      'invalid_input',
      `'${text}' is not the id of ${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}: use the full id, or at least 4 characters of its start or end`,
    );
  const [found, ...others] = wanted === '' ? [] : await find(wanted, ask);
  if (found && others.length === 0) return found.id;
  if (found) throw failRead('reference_ambiguous', `'${text}' matches several records: ${candidateList([found, ...others])}. Use the id`);
  const names = similar && wanted !== '' ? await similar(wanted, ask) : [];
  const close = nearestName(
    wanted,
    names.map(({ name }) => name),
  );
  const hint = close === undefined ? candidateList(names) : close;
  throw notFound({ noun, code }, `'${text}'${hint === '' ? '' : `. Did you mean ${hint}?`}`);
}

/**
 * Returns names that begin with a text, as {@link idOf} accepts them; none of records that have only ids. At most 100.
 *
 * @param any_case whether the case of letters may differ. Default false, because shells compare it.
 */
export async function namesOf(
  kind: ReferenceKind,
  text: string,
  ask: Ask,
  { any_case = false }: { any_case?: boolean } = {},
): Promise<Pick<Candidate, 'name' | 'about'>[]> {
  const { hasUuids = false, hasNames = !hasUuids, beginning, similar } = kinds[kind];
  const find = beginning ?? similar;
  if (!hasNames || find === undefined) return [];
  const mark = text.startsWith('@') ? '@' : '';
  const named = (await find(text.slice(mark.length), ask)).map(({ name, about }) => ({
    name: `${/^\d+$/.test(name) ? '@' : mark}${name}`,
    about,
  }));
  const begins = (name: string) => (any_case ? name.toLowerCase().startsWith(text.toLowerCase()) : name.startsWith(text));
  return named.filter(({ name }) => begins(name)).slice(0, max_names);
}

function notFound({ noun, code }: Pick<Kind, 'noun' | 'code'>, byName: string): Error {
  return failures({ [code]: 404 })(code, `There is no ${noun} ${byName}`);
}

/** Describes the record of an id, as in `member joe (Joe Smith)`. Fails if there is no such record. */
export async function describeId(kind: ReferenceKind, id: number | string, ask: Ask): Promise<string> {
  const { noun, get } = kinds[kind];
  const { name, about } = await get(id, ask);
  return [noun, name === '' ? shortIds([String(id)]).join() : name, about === '' ? '' : `(${about})`]
    .filter((text) => text !== '')
    .join(' ');
}

const part = /^[0-9a-f-]{4,36}$/i;

function candidateList(candidates: readonly Candidate[]): string {
  const shown = candidates
    .slice(0, max_shown)
    .map(({ id, name, about }) => [name || about || id, name || about ? `(${id})` : ''].join(' ').trim());
  return candidates.length > max_shown ? `${shown.join(', ')}, …` : shown.join(', ');
}

interface Page {
  limit: number;
  offset: number;
}

/** Reads all pages of a list. Fails if it is too long: a truncated list could miss the second match of a name. */
async function allPages(read: (part: Page) => Promise<Fields[]>): Promise<Fields[]> {
  const all: Fields[] = [];
  for (let at = 0; at < max_pages; at += 1) {
    const rows = await read({ limit: page, offset: at * page });
    all.push(...rows);
    if (rows.length < page) return all;
  }
  throw failCore('invalid_input', `There are more than ${page * max_pages} records to search. Use the full id`);
}

async function itemsOf(answer: Promise<unknown>): Promise<Fields[]> {
  return ((await answer) as { items: Fields[] }).items;
}

function member(row: Fields): Candidate {
  const { id, username, nickname } = row as { id: number; username: string; nickname: string };
  return { id, name: username, about: nickname === username ? '' : nickname };
}

function members(filter: object): Pick<Kind, 'find' | 'similar' | 'get'> {
  const list = async (query: object, ask: Ask) =>
    (await itemsOf(ask('members.list', { ...filter, ...query, page_size: page }))).map(member);
  const everyone = async (query: object, ask: Ask) => {
    const read = ({ limit, offset }: Page) =>
      itemsOf(ask('members.list', { ...filter, ...query, page_size: limit, page: offset / limit + 1 }));
    return (await allPages(read)).map(member);
  };
  return {
    async find(wanted, ask) {
      const byName = await list({ username: wanted }, ask);
      if (byName.length > 0) return byName;
      // Nicknames are not unique.
      return (await everyone({ keyword: wanted }, ask)).filter(({ about }) => isSame(about, wanted));
    },
    similar: (wanted, ask) => list({ keyword: wanted.slice(0, 2) }, ask),
    get: async (id, ask) => member((await ask('members.get', { id })) as Fields),
  };
}

function node(row: Fields): Candidate {
  return { id: row.id as number, name: String(row.name), about: String(row.status) };
}

const nodes = async (ask: Ask) => (await allPages((part) => itemsOf(ask('nodes.list', part)))).map(node);

function schedule(row: Fields): Candidate {
  const { id, name, trigger_type, trigger_value, action } = row as Record<string, string>;
  return { id: Number(id), name: String(name), about: `${trigger_type} ${trigger_value}, ${action}` };
}

const schedules = async (keyword: string, ask: Ask) =>
  (await allPages((part) => itemsOf(ask('schedules.list', { keyword, ...part })))).map(schedule);

const tokens = async (ask: Ask) =>
  ((await ask('tokens.list', {})) as Fields[]).map((row): Candidate => {
    const last = row.last_used_at === null ? 'never used' : `last used ${String(row.last_used_at)}`;
    return { id: row.id as number, name: String(row.name), about: last };
  });

function conversation(kind: 'session' | 'message' | 'task', key: string, text: (record: Fields) => string): Omit<Kind, 'noun' | 'code'> {
  return {
    hasUuids: true,
    find: async (wanted, ask) =>
      ((await ask('chat.lookup', { kind, part: wanted })) as { id: string; about: string }[]).map(({ id, about }) => ({
        id,
        name: '',
        about,
      })),
    get: async (id, ask) => ({ id, name: '', about: text((await ask(`${kind}s.get`, { [key]: id })) as Fields) }),
  };
}

type Rooms = (wanted: string, ask: Ask) => Promise<Candidate[]>;

function room({ id, title, topic }: Fields): Candidate {
  return { id: String(id), name: String(title), about: topic ? String(topic) : '' };
}

/** Lists the caller's rooms. */
const ownRooms: Rooms = async (_wanted, ask) =>
  (await allPages(async (part) => (await ask('sessions.list', { target_type: 'room', ...part })) as Fields[])).map(room);

/** Lists the rooms that the caller may join, whose titles or topics contain a text. */
const openRooms: Rooms = async (wanted, ask) =>
  (await allPages((part) => itemsOf(ask('rooms.list', { query: wanted, ...part })))).map(room);

/** Finds the rooms with a title: the exact one, otherwise those whose titles begin with it. */
function titled(rooms: readonly Candidate[], wanted: string): Candidate[] {
  const exact = rooms.filter(({ name }) => isSame(name, wanted));
  return exact.length > 0 ? exact : rooms.filter(({ name }) => name.toLowerCase().startsWith(wanted.toLowerCase()));
}

/** Returns the rooms in whose titles a text stands, or a word like it. */
function similarlyTitled(rooms: readonly Candidate[], wanted: string): Candidate[] {
  const isIn = (title: string) => title.toLowerCase().includes(wanted.toLowerCase());
  return rooms.filter(({ name }) => isIn(name) || nearestName(wanted, [name, ...name.split(' ')]) !== undefined);
}

/** Finds conversations by a part of their ids, and rooms by their titles. An exact title comes before parts of ids. */
function session(): Omit<Kind, 'noun' | 'code'> {
  const byId = conversation('session', 'session_id', ({ title }) => String(title));
  return {
    ...byId,
    hasNames: true,
    async find(wanted, ask) {
      const named = titled(await ownRooms(wanted, ask), wanted);
      if (!part.test(wanted) || named.some(({ name }) => isSame(name, wanted))) return named;
      const found = await byId.find(wanted, ask);
      return [...found, ...named.filter(({ id }) => !found.some((one) => one.id === id))];
    },
    beginning: ownRooms,
    similar: async (wanted, ask) => similarlyTitled(await ownRooms(wanted, ask), wanted),
  };
}

function inList(list: (ask: Ask) => Promise<Candidate[]>): Omit<Kind, 'noun' | 'code'> {
  return {
    hasUuids: true,
    find: async (wanted, ask) => (await list(ask)).filter(({ id }) => isPartOf(id, wanted)),
    // The list is incomplete (one page, or only active runs): the operation itself reports whether a record exists.
    get: async (id, ask) => (await list(ask)).find((one) => one.id === id) ?? { id, name: '', about: '' },
  };
}

function extension(row: Fields): Candidate {
  return { id: String(row.name), name: String(row.name), about: String(row.state) };
}

const extensions = async (ask: Ask) => ((await ask('plugins.list', {})) as Fields[]).map(extension);

/** Finds records by name in a list that is one page. */
function byName(list: (ask: Ask) => Promise<Candidate[]>, kind: Pick<Kind, 'noun' | 'code'>): Pick<Kind, 'find' | 'similar' | 'get'> {
  return {
    find: async (wanted, ask) => (await list(ask)).filter(({ name }) => isSame(name, wanted)),
    similar: (_wanted, ask) => list(ask),
    async get(id, ask) {
      const found = (await list(ask)).find((one) => one.id === id);
      if (!found) throw notFound(kind, String(id));
      return found;
    },
  };
}

const token = { noun: 'token', code: 'token_not_found' };
const installedExtension = { noun: 'extension', code: 'extension_not_found' };
const trustedKey = { noun: 'trusted key', code: 'key_not_found' };

/** Lists plugins and skills of third parties. */
const installedExtensions = async (ask: Ask) =>
  (await itemsOf(ask('marketplace.installed', {}))).map((row): Candidate => {
    return { id: String(row.id), name: String(row.id), about: `${String(row.type)} ${String(row.version)}` };
  });

const trustedKeys = async (ask: Ask) =>
  (await itemsOf(ask('marketplace.trusted_keys', {}))).map((row): Candidate => {
    return { id: row.id as number, name: String(row.name), about: '' };
  });

const runs = async (ask: Ask) =>
  (await allPages(async (part) => (await ask('runs.list', part)) as Fields[])).map((row): Candidate => {
    return { id: String(row.task_id), name: '', about: `${String(row.member_name)}, ${String(row.status)}` };
  });

const approvals = async (ask: Ask) =>
  (await allPages(async (part) => (await ask('approvals.list', part)) as Fields[])).map((row): Candidate => {
    return { id: String(row.id), name: '', about: `${String(row.name)}, ${String(row.status)}` };
  });

const kinds: Readonly<Record<ReferenceKind, Kind>> = {
  member: { noun: 'member', code: 'member_not_found', ...members({}) },
  employee: { noun: 'AI employee', code: 'employee_not_found', ...members({ is_virtual: true }) },
  node: {
    noun: 'work node',
    code: 'node_not_found',
    find: async (wanted, ask) => (await nodes(ask)).filter(({ name }) => isSame(name, wanted)),
    similar: (_wanted, ask) => nodes(ask),
    get: async (id, ask) => node((await ask('nodes.get', { id })) as Fields),
  },
  schedule: {
    noun: 'schedule',
    code: 'schedule_not_found',
    find: async (wanted, ask) => (await schedules(wanted, ask)).filter(({ name }) => isSame(name, wanted)),
    similar: (wanted, ask) => schedules(wanted.slice(0, 2), ask),
    get: async (id, ask) => schedule((await ask('schedules.get', { id })) as Fields),
  },
  token: { ...token, ...byName(tokens, token) },
  'installed extension': { ...installedExtension, ...byName(installedExtensions, installedExtension) },
  'trusted key': { ...trustedKey, ...byName(trustedKeys, trustedKey) },
  session: { noun: 'session', code: 'session_not_found', ...session() },
  'open room': {
    noun: 'open room',
    code: 'session_not_found',
    hasUuids: true,
    hasNames: true,
    async find(wanted, ask) {
      const named = titled(await openRooms(wanted, ask), wanted);
      return named.length > 0 || !part.test(wanted) ? named : (await openRooms('', ask)).filter(({ id }) => isPartOf(id, wanted));
    },
    beginning: openRooms,
    similar: async (wanted, ask) => similarlyTitled(await openRooms('', ask), wanted),
    get: async (id) => ({ id, name: '', about: '' }),
  },
  message: {
    noun: 'message',
    code: 'message_not_found',
    ...conversation('message', 'message_id', ({ content }) => String(content).slice(0, 80)),
  },
  task: { noun: 'task', code: 'task_not_found', ...conversation('task', 'task_id', ({ title }) => String(title)) },
  extension: {
    noun: 'extension',
    code: 'plugin_not_found',
    find: async (wanted, ask) => (await extensions(ask)).filter(({ id }) => isSame(String(id), wanted)),
    similar: (_wanted, ask) => extensions(ask),
    get: async (id, ask) => extension((await ask('plugins.get', { name: id })) as Fields),
  },
  notification: {
    noun: 'notification',
    code: 'notification_not_found',
    find: async () => [],
    async get(id, ask) {
      const { title } = (await ask('notifications.get', { id })) as { title: string };
      return { id, name: '', about: title };
    },
  },
  audit: {
    noun: 'audit record',
    code: 'invalid_input',
    find: async () => [],
    get: async (id) => ({ id, name: '', about: '' }),
  },
  run: { noun: 'run', code: 'task_not_found', ...inList(runs) },
  approval: { noun: 'approval', code: 'approval_not_found', ...inList(approvals) },
};

/** Returns whether an id begins or ends with a text. */
function isPartOf(id: number | string, text: string): boolean {
  return String(id).startsWith(text.toLowerCase()) || String(id).endsWith(text.toLowerCase());
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
