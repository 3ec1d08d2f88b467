import type { Generator } from './generator.js';
import { people } from './steps.js';
import { sweep } from './sweep.js';
import { orders, sentences } from './texts.js';

/** Something that happens in a history. */
type Action = (generator: Generator) => void;

const emoji = ['👍', '🎉', '❤️', '👀'];

const write: Action = (g) => {
  const by = g.any();
  const room = g.roomOf(by);
  g.send(by, room, g.textOf(by));
};

const askSomeone: Action = (g) => g.ask(g.any());
const askAnn: Action = (g) => g.ask('ann');

const mention: Action = (g) => {
  const by = g.any();
  g.send(by, g.roomOf(by), `@${g.any()}-{{run}} ${g.random.one(sentences)}`);
};

const answer: Action = (g) => {
  const by = g.any();
  const room = g.roomOf(by);
  const to = room.messages.length > 0 ? g.random.one(room.messages).name : undefined;
  const place = g.random.one(['reply_to', 'thread_id']);
  g.send(by, room, g.textOf(by), { input: to ? { [place]: `{{${to}}}` } : {} });
};

/** Sends a new file, or one that the member has uploaded before, perhaps with no text or to the room's AI employee. */
const attach: Action = (g) => {
  const by = g.any();
  const room = g.roomOf(by);
  const own = g.files.filter((file) => file.by === by);
  const file = own.length > 0 && g.random.next() < 0.4 ? g.random.one(own).name : g.upload(by);
  const mentioned = room.employee && g.random.next() < 0.4 ? `@{{${room.employee}.name}} ` : '';
  const text = g.random.next() < 0.7 ? g.textOf(by) : '';
  g.send(by, room, `${mentioned}${text}`.trim(), { input: { files: [`{{${file}}}`] } });
};

/** Downloads a file, or tries to send it, whoever's it is. */
const reach: Action = (g) => {
  if (g.files.length === 0) return;
  const by = g.any();
  const file_id = `{{${g.random.one(g.files).name}}}`;
  if (g.random.next() < 0.7) g.step(by, 'files.get', { file_id });
  else g.send(by, g.roomOf(by), g.textOf(by), { input: { files: [file_id] } });
};

const edit: Action = (g) => {
  const room = g.roomOf(g.any());
  const [message] = room.messages.slice(-1);
  if (!message) return;
  const content = `${g.textOf(message.by)} indeed`;
  g.step(message.by, 'messages.edit', { message_id: `{{${message.name}}}`, content });
};

const remove: Action = (g) => {
  const room = g.roomOf(g.any());
  if (room.messages.length === 0) return;
  const message = g.random.one(room.messages);
  g.step(message.by, 'messages.delete', { message_id: `{{${message.name}}}` });
};

const react: Action = (g) => {
  const by = g.any();
  const room = g.roomOf(by);
  if (room.messages.length === 0) return;
  const input = { message_id: `{{${g.random.one(room.messages).name}}}`, emoji: g.random.one(emoji) };
  g.step(by, g.random.next() < 0.8 ? 'reactions.add' : 'reactions.remove', input);
};

const leave: Action = (g) => {
  const room = g.roomOf(g.any());
  const person = g.random.one([...room.members]);
  if (person === room.owner) return;
  const by = g.random.next() < 0.5 ? person : room.owner;
  g.step(by, 'sessions.remove_member', { session_id: `{{${room.name}}}`, member_id: `{{${person}}}` });
  room.members.delete(person);
};

const enter: Action = (g) => {
  const person = g.any();
  const room = g.roomOf(g.any());
  if (room.members.has(person)) return;
  const session_id = `{{${room.name}}}`;
  if (room.is_open) g.step(person, 'sessions.join', { session_id });
  else g.step(room.owner, 'sessions.add_member', { session_id, member_ids: [`{{${person}}}`] });
  room.members.add(person);
  if (person !== 'ann') g.follow(person, room);
};

const change: Action = (g) => {
  const room = g.roomOf(g.any());
  const topic = g.plants(room.owner) ? g.random.one(orders) : 'What we plan';
  g.step(room.owner, 'sessions.update', { session_id: `{{${room.name}}}`, topic });
};

const read: Action = (g) => {
  const by = g.any();
  g.step(by, 'unread.mark_read', { session_id: `{{${g.roomOf(by).name}}}` });
};

const quiet: Action = (g) => {
  const by = g.any();
  const level = g.random.one(['all', 'mentions', 'none']);
  g.step(by, 'sessions.notifications', { session_id: `{{${g.roomOf(by).name}}}`, level });
};

const look: Action = (g) => {
  const by = g.random.one(['ben', 'cyd', 'dan'] as const);
  const { operation, input } = g.random.one(sweep);
  g.step(by, operation, input);
};

const direct: Action = (g) => {
  const by = g.any();
  const to = g.random.one(people.filter((person) => person !== by));
  const content = g.textOf(by);
  g.step(by, 'chat.send', { content, target_type: 'member', target_id: `{{${to}}}` }, { keep: g.name('message') });
};

const rename: Action = (g) => g.step('admin', 'members.update', { id: '{{dan}}', nickname: `Dan ${g.random.one(orders).slice(0, 40)}` });

const found: Action = (g) => void g.create();

/** The administrator schedules a message to a room that mentions its AI employee, and runs it. */
const plan: Action = (g) => {
  const others = people.filter(() => g.random.next() < 0.6);
  const room = g.create('admin', { people: others, employee: 'employee1' });
  const schedule = g.name('schedule');
  const params = { session_id: `{{${room.name}}}`, content: `@{{employee1.name}} ${g.random.one(orders)}` };
  const trigger = { trigger_type: 'interval', trigger_value: '24h' };
  g.step('admin', 'schedules.create', { name: 'Report', action: 'chat.send', params, ...trigger, enabled: false }, { keep: schedule });
  if (others.length > 0 && g.random.next() < 0.5) g.send(g.random.one(others), room, g.random.one(orders));
  g.step('admin', 'schedules.run', { id: `{{${schedule}}}` });
};

/** A plugin's own member writes into a room that it is in. */
const hook: Action = (g) => {
  const [room] = g.rooms.filter(({ members }) => members.has('plugin'));
  g.send('plugin', room ?? g.create(g.any(), { people: [...people.slice(0, 3), 'plugin'] }), g.textOf('plugin'));
};

/** Actions that a history chooses from; more often those that stand here more than once. */
export const actions: readonly Action[] = [
  ...[write, write, write, askSomeone, askAnn, mention, answer, answer],
  ...[attach, attach, reach, reach],
  ...[edit, remove, react, leave, enter, change, read, quiet, look, look, direct, rename, found, plan, hook],
];
