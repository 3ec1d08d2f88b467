import { until } from '../../../helpers/eventually.js';
import { adminPassword } from '../../../helpers/platform.js';
import type { Side } from '../../side.js';
import type { Row } from '../../table.js';

export const nowhere = '01900000-0000-7000-8000-000000000000';

export interface Sent {
  message_id: string;
  session_id: string;
  task_id: string;
}

/** A message of ada's whose reply has ended. */
export async function answered(side: Side): Promise<Sent> {
  const sent = await side.give<Sent>('chat.send', { content: '/help' }, 'ada');
  const read = () => side.give<{ status: string }>('tasks.get', { task_id: sent.task_id }, 'ada');
  await until(read, ({ status }) => status === 'completed');
  return sent;
}

/** A note of ada's. */
export const note = async (side: Side) => (await side.give<Sent>('chat.send', { content: 'A note', target_type: '' }, 'ada')).message_id;

/** A reply to ada. */
export async function replyIn(side: Side): Promise<string> {
  const { task_id } = await answered(side);
  return (await side.give<{ reply_id: string }>('tasks.get', { task_id }, 'ada')).reply_id;
}

/** A task of ada's that is not final. */
export async function underWay(side: Side): Promise<string> {
  const { id: target_id } = await side.give('members.create_virtual', { name: 'Runner', mode: 'autonomous' });
  const { task_id } = await side.give<Sent>('chat.send', { content: '/call hello.slow {"ms":2000}', target_id }, 'ada');
  const read = () => side.give<{ status: string }>('tasks.get', { task_id }, 'ada');
  await until(read, ({ status }) => status !== 'queued');
  return task_id;
}

/** The same, when its tool runs. */
export async function run(side: Side): Promise<{ task_id: string }> {
  const task_id = await underWay(side);
  await until(
    () => side.give<{ tool: string | null }>('runs.get', { task_id }),
    ({ tool }) => tool !== null,
  );
  return { task_id };
}

/** Waits for ada's earlier tasks to end and starts one that runs, so that every side lists the same. */
export async function onlyOneRuns(side: Side): Promise<object> {
  await until(
    () => side.give<object[]>('tasks.active', {}, 'ada'),
    (tasks) => tasks.length === 0,
  );
  await run(side);
  return {};
}

export const session = async (side: Side) => ({
  session_id: (await side.give<{ id: string }>('sessions.create', { title: 'Mine' }, 'ada')).id,
});

export const room = async (side: Side, member_ids: number[] = []) => {
  const made = { title: 'Ours', target_type: 'room', target_id: '', member_ids };
  return { session_id: (await side.give<{ id: string }>('sessions.create', made, 'ada')).id };
};

/** An open room of an administrator's. */
export const openRoom = async (side: Side) => {
  const made = { title: 'Open', target_type: 'room', target_id: '', visibility: 'open' };
  return { session_id: (await side.give<{ id: string }>('sessions.create', made)).id };
};

export const foundRoom = async (side: Side) => {
  await openRoom(side);
  return { query: 'open' };
};

export const self = async (side: Side) => ({ member_id: (await side.give<{ id: number }>('auth.me', {}, 'ada')).id });

/** A GIF of one transparent pixel. */
export const image = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** An image that ada has sent. */
export async function picture(side: Side): Promise<{ hash: string }> {
  const { message_id } = await side.give<Sent>('chat.send', { content: '', images: [image], target_type: 'ai' }, 'ada');
  const { images } = await side.give<{ images: { url: string }[] }>('messages.get', { message_id }, 'ada');
  return { hash: images[0]?.url.slice(-64) as string };
}

/** A file to upload. */
export const report = { name: 'report.txt', bytes: Buffer.from('Sales grew by a third.') };

/** A file that ada has sent. */
export async function sentFile(side: Side): Promise<{ file_id: string }> {
  const { id } = await side.give<{ id: string }>('files.upload', { file: report }, 'ada');
  await side.give('chat.send', { content: '', files: [id], target_type: '' }, 'ada');
  return { file_id: id };
}

/** A file of ada's that is an image. */
export async function sentPicture(side: Side): Promise<{ file_id: string }> {
  const bytes = Buffer.from(image.slice(image.indexOf(',') + 1), 'base64');
  const { id } = await side.give<{ id: string }>('files.upload', { file: { name: 'dot.gif', bytes } }, 'ada');
  await side.give('chat.send', { content: '', files: [id], target_type: '' }, 'ada');
  return { file_id: id };
}

/** A file that ada has uploaded and not sent. */
export async function unsentFile(side: Side): Promise<{ file_id: string }> {
  return { file_id: (await side.give<{ id: string }>('files.upload', { file: report }, 'ada')).id };
}

/** A member whom ada hasn't talked with. */
export const newcomer = async (side: Side) => ({
  member_id: (await side.give('members.create', { username: side.newName(), password: adminPassword })).id,
});

export const absent = (key: string, code: string): Row[] => [
  { name: 'an unknown id', input: { [key]: nowhere }, code },
  { name: 'an invalid id', input: { [key]: 'nonsense' }, code: 'invalid_input' },
];

/** Ada's records do not exist for bob, nor for an administrator. */
export const others = (key: 'session_id' | 'message_id' | 'task_id', code: string): Row[] =>
  (['bob', 'admin'] as const).map((asker) => ({
    name: `another member's, for ${asker}`,
    asker,
    input: async (side) => {
      if (asker === 'bob') await side.logIn('bob', 'bob');
      return { [key]: (await answered(side))[key] };
    },
    code,
  }));
