import { type OurAction, people_per_admin } from './model.js';
import { group_title, type Listed, type Person } from './person.js';
import {
  countUnread,
  draft,
  getSession,
  listMembers,
  listRoomMembers,
  listSessions,
  markRead,
  open,
  post,
  readMessages,
  reload,
  send,
  show,
  showAnother,
  typeText,
  write,
} from './steps.js';
import { emoji, randomOf, randomWord } from './words.js';

/** Different emoji on a message, beyond which a client offers no further one. */
const max_emoji = 20;
const searched_keys = 4;
const report_page = 50;

/** Our counterpart of each action. */
export const acts: Readonly<Record<OurAction, (person: Person) => Promise<unknown>>> = {
  SwitchChannel: showAnother,
  SwitchTeam: async (person) => {
    await countUnread(person);
    await showAnother(person);
  },
  ScrollChannel: scroll,
  OpenDirectOrGroupChannel: async (person) => {
    const session = person.smallSession();
    if (session) await open(person, session.id);
  },
  UnreadCheck: async (person) => {
    await listSessions(person);
    if (person.shown !== undefined) await markRead(person, person.shown);
  },
  CreatePost: post,
  JoinChannel: async (person) => {
    const room = randomOf(await findRooms(person, ''));
    if (room) await join(person, room.id);
  },
  SearchChannels: async (person) => {
    const title = randomOf([...person.sessions.values()])?.title ?? '';
    await typeText(person, title.slice(0, randomKeys()), async (typed) => {
      await findRooms(person, typed);
      return false;
    });
  },
  AddReaction: react,
  FullReload: async (person) => {
    person.disconnect();
    await person.connect();
    await reload(person);
  },
  CreateDirectChannel: async (person) => {
    await listMembers(person, 'page_size=100');
    const member_id = otherThan(person);
    const body = { member_id };
    const started = await person.ask<{ session: Listed }>({
      operation: 'contacts.start',
      method: 'POST',
      path: '/api/chat/contacts/start',
      body,
    });
    if (started) await openNew(person, started.session);
  },
  LogoutLogin: logInAgain,
  SearchUsers: (person) =>
    typeText(person, randomOf(person.world.people)?.username ?? '', async (typed) => {
      await listMembers(person, `keyword=${typed}&page_size=100`);
      return false;
    }),
  SearchPosts: searchShown,
  SearchPostsAllTeams: (person) => search(person, undefined),
  EditPost: async (person) => {
    const own = ownMessage(person);
    if (!own) return;
    const content = await write(person, own.session_id, own.thread_id === null ? 'message' : 'reply');
    await person.ask({ operation: 'messages.edit', method: 'PUT', path: `/api/chat/messages/${own.id}`, body: { content } });
  },
  DeletePost: async (person) => {
    const own = ownMessage(person);
    if (!own) return;
    person.world.timelines.delete(own.session_id, own.id);
    await person.ask({ operation: 'messages.delete', method: 'DELETE', path: `/api/chat/messages/${own.id}` });
  },
  UpdateCustomStatus: async (person) => person.push('presence', { status: 'dnd' }),
  RemoveCustomStatus: async (person) => person.push('presence', { status: 'online' }),
  UpdateCustomAttribute: (person) =>
    person.ask({
      operation: 'members.set_settings',
      method: 'PUT',
      path: '/api/members/me/settings',
      body: { language: randomOf(['en', 'zh-CN', 'de']) },
    }),
  SearchGroupChannels: (person) => {
    const username = randomOf(person.world.people)?.username ?? '';
    // Theirs sends the whole name with each key.
    return typeText(person, username.slice(0, randomKeys()), async () => {
      await person.ask({ operation: 'contacts.list by name', path: `/api/chat/contacts?keyword=${username}&limit=100` });
      return false;
    });
  },
  CreateGroupChannel: async (person) => {
    await listMembers(person, 'page_size=100');
    const member_ids = [...new Set([otherThan(person), otherThan(person)])];
    const created = await createRoom(person, { title: `${group_title} ${randomWord()}`, member_ids, visibility: 'private' });
    if (created) await openNew(person, created);
  },
  CreatePrivateChannel: async (person) => {
    const created = await createRoom(person, { title: `Private ${randomWord()}`, visibility: 'private' });
    if (!created) return;
    await readBothLists(person, created.id);
    const added = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => otherThan(person));
    for (const member_id of new Set(added)) {
      const path = `/api/chat/sessions/${created.id}/members`;
      await person.ask({ operation: 'sessions.add_member', method: 'POST', path, body: { member_ids: [member_id] } });
    }
  },
  CreatePublicChannel: async (person) => {
    const created = await createRoom(person, { title: `Open ${randomWord()}`, visibility: 'open' });
    if (created) await readBothLists(person, created.id);
  },
  ViewGlobalThreads: async (person) => {
    // All threads, then unread ones.
    await scrollThreads(person);
    await scrollThreads(person);
  },
  ViewThread: async (person) => {
    const thread_id = person.shown && person.world.timelines.anyThread(person.shown);
    if (thread_id) await readThread(person, thread_id);
  },
  MarkAllThreadsInTeamAsRead: markShown,
  UpdateThreadRead: markShown,
  CreateAckPost: sendAnywhere,
  CreatePersistentNotificationPost: sendAnywhere,
  ClickUserProfile: async (person) => {
    const sender_id = person.shown && person.world.timelines.any(person.shown)?.sender_id;
    if (sender_id) await person.ask({ operation: 'members.get', path: `/api/members/${sender_id}` });
  },
  ClickPermalink: followLink,
  ReconnectWebSocket: async (person) => {
    await person.reconnect();
    await listSessions(person);
    if (person.shown !== undefined) await readMessages(person, `session_id=${person.shown}&threads=roots&limit=30`);
    await countUnread(person);
  },
  GenerateUserReport: async (person) => {
    if (!person.identity.is_admin) return;
    for (let page = 1; ; page += 1) {
      const { length } = await listMembers(person, `page=${page}&page_size=${report_page}`);
      if (length < report_page || page > people_per_admin) return;
    }
  },
  UpsertDraft: draft,
  CreateScheduledPost: draft,
  SendScheduledPost: sendAnywhere,
};

async function scroll(person: Person): Promise<void> {
  const { shown } = person;
  if (shown === undefined) return;
  for (let left = 1 + Math.floor(Math.random() * 5); left > 0; left -= 1) {
    const before = person.oldest === undefined ? '' : `&before=${person.oldest}`;
    const { oldest } = await readMessages(person, `session_id=${shown}&threads=roots&limit=30${before}`);
    if (person.shown === shown) person.oldest = oldest;
    await person.wait(1_000 + Math.random() * 9_000);
  }
}

/** Reads 1 to 3 further pages of messages that begin threads, in one of the rooms. */
async function scrollThreads(person: Person): Promise<void> {
  const room = person.otherRoom();
  if (!room) return;
  let before = '';
  for (let left = 2 + Math.floor(Math.random() * 3); left > 0; left -= 1) {
    const { oldest } = await readMessages(person, `session_id=${room.id}&threads=roots&limit=25${before}`);
    if (oldest === undefined) return;
    before = `&before=${oldest}`;
    if (left > 1) await person.wait(1_000 + Math.random() * 9_000);
  }
}

async function readThread(person: Person, thread_id: string): Promise<void> {
  const limit = 60;
  let before = '';
  for (;;) {
    const { count, oldest } = await readMessages(person, `thread_id=${thread_id}&limit=${limit}${before}`);
    if (count < limit || oldest === undefined) return;
    before = `&before=${oldest}`;
  }
}

async function react(person: Person): Promise<void> {
  const message = person.shown && person.world.timelines.any(person.shown);
  const added = randomOf(emoji);
  if (!message || added === undefined || (message.emoji.size >= max_emoji && !message.emoji.has(added))) return;
  const path = `/api/chat/messages/${message.id}/reactions/${encodeURIComponent(added)}`;
  await person.ask({ operation: 'reactions.add', method: 'PUT', path });
}

async function logInAgain(person: Person): Promise<void> {
  const { identity, world } = person;
  person.disconnect();
  await person.ask({ operation: 'auth.logout', method: 'POST', path: '/api/auth/logout' });
  const body = { username: identity.username, password: world.password };
  const found = await world.client.ask<{ access_token: string }>({
    operation: 'auth.login',
    method: 'POST',
    path: '/api/auth/login',
    body,
  });
  if (!found) return;
  identity.token = person.token = found.access_token;
  await person.connect();
  await reload(person);
}

async function searchShown(person: Person): Promise<void> {
  if (Math.random() < 0.2) {
    const username = randomOf(person.world.people)?.username ?? '';
    await typeText(person, username, async (typed) => (await listMembers(person, `keyword=${typed}&page_size=25`)).length === 1);
  }
  await search(person, Math.random() < 0.2 ? person.otherRoom()?.id : undefined);
}

/** Searches 1 to 4 words. */
async function search(person: Person, session_id: string | undefined): Promise<void> {
  const words = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, randomWord);
  const within = session_id === undefined ? '' : `&session_id=${session_id}`;
  await person.ask({ operation: 'messages.search', path: `/api/chat/messages/search?q=${words.join('%20')}&limit=60${within}` });
}

async function followLink(person: Person): Promise<void> {
  const linked = person.shown && person.world.timelines.lastLink(person.shown);
  if (!linked) return;
  const message = await person.ask<{ session_id: string }>({ operation: 'messages.get', path: `/api/chat/messages/${linked}` });
  if (!message) return;
  await readMessages(person, `thread_id=${linked}&limit=25`);
  if (!person.sessions.has(message.session_id)) await getSession(person, message.session_id);
  await listSessions(person);
  await show(person, message.session_id);
}

async function sendAnywhere(person: Person): Promise<void> {
  const room = person.otherRoom();
  if (room) await send(person, { session_id: room.id, content: await write(person, room.id, 'message') });
}

async function markShown(person: Person): Promise<void> {
  if (person.shown !== undefined) await markRead(person, person.shown);
}

async function findRooms(person: Person, query: string): Promise<Listed[]> {
  const path = `/api/chat/rooms?limit=100&query=${encodeURIComponent(query)}`;
  return (await person.ask<{ items: Listed[] }>({ operation: 'rooms.list', path }))?.items ?? [];
}

async function join(person: Person, session_id: string): Promise<void> {
  const path = `/api/chat/sessions/${session_id}/join`;
  const joined = await person.ask<Listed>({ operation: 'sessions.join', method: 'POST', path });
  if (joined) person.sessions.set(session_id, joined);
}

async function createRoom(person: Person, room: { title: string; member_ids?: number[]; visibility: string }): Promise<Listed | undefined> {
  const body = { target_type: 'room', target_id: '', ...room };
  const created = await person.ask<Listed>({ operation: 'sessions.create', method: 'POST', path: '/api/chat/sessions', body });
  if (created) person.sessions.set(created.id, created);
  return created;
}

/** Reads the members of a new room, and those who could be added. */
async function readBothLists(person: Person, session_id: string): Promise<void> {
  await listRoomMembers(person, session_id);
  await listMembers(person, 'page_size=100');
  await markRead(person, session_id);
}

/** Opens a new session, then sends a message to the shown room, as theirs. */
async function openNew(person: Person, session: Listed): Promise<void> {
  person.sessions.set(session.id, session);
  await open(person, session.id);
  await post(person);
}

function otherThan({ identity, world }: Person): number {
  const found = randomOf(world.people.filter(({ member_id }) => member_id !== identity.member_id));
  return found?.member_id ?? 1;
}

function ownMessage({ shown, identity, world }: Person) {
  return shown === undefined ? undefined : world.timelines.any(shown, ({ sender_id }) => sender_id === identity.member_id);
}

function randomKeys(): number {
  return 1 + Math.floor(Math.random() * searched_keys);
}
