import { useState } from 'react';
import {
  ago,
  Box,
  type Column,
  number,
  type Opened,
  type Panel,
  Records,
  Text,
  useCall,
  useFailed,
  useKeys,
  useOpened,
} from '../../tui/kit/index.js';
import type { Contact, Session } from './contract.js';
import { chatFrames, type PanelApi, type Props } from './panel/api.js';
import { Contacts } from './panel/contacts.js';
import { Conversation } from './panel/conversation.js';

const max_sessions = 200;

type Place = { what: 'contacts' } | { what: 'session'; session: Session } | undefined;

/** Shows the member's conversations: a list with unread counts, or the messages of one. */
function View(props: Props) {
  const { client, size, clock, focused } = props;
  const sessions = useCall((signal) => client.sessions.list({ limit: max_sessions, offset: 0 }, { signal }), [client], {
    every_ms: 5_000,
    on: chatFrames,
  });
  const [place, setPlace] = useState<Place>();
  const failed = useFailed();
  const opening = useOpened(
    props.opened,
    (opened) => sessionOf(opened, props),
    () => setPlace(undefined),
  );
  useKeys([{ key: 'n', label: 'new', run: () => setPlace({ what: 'contacts' }), changes: true }], focused && place === undefined);
  useKeys([{ key: 'esc', label: 'back', run: () => setPlace(undefined) }], focused && place !== undefined);
  const open = async ({ member_id }: Contact) => {
    const { session } = await client.contacts.start({ member_id });
    setPlace({ what: 'session', session });
    sessions.again();
  };
  const start = (contact: Contact) => void open(contact).catch(failed);
  const hasMentions = sessions.value?.some(({ mention_count }) => mention_count > 0) ?? false;
  const columns: Column<Session>[] = [
    { title: 'title', value: nameOf, grow: true },
    { title: 'unread', value: ({ unread_count }) => unread_count || '', align: 'right', colour: () => 'warn' },
    ...(hasMentions ? [mentions] : []),
    { title: 'state', value: ({ active_task_id }) => (active_task_id === null ? '' : 'replying'), colour: () => 'good' },
    { title: 'last', value: ({ last_message_at }) => ago(last_message_at, clock()) },
    { title: 'message', value: ({ last_message_preview }) => last_message_preview, grow: true },
  ];
  if (place?.what === 'contacts') return <Contacts panel={props} start={start} height={size.rows} />;
  if (place?.what === 'session') return <Conversation key={place.session.id} panel={props} session={place.session} />;
  return (
    <Box flexDirection="column">
      <Text kind="dim">{headline(sessions.value)}</Text>
      <Records
        rows={sessions.value}
        error={sessions.error}
        columns={columns}
        idOf={({ id }) => id}
        opening={opening}
        height={size.rows - 1}
        empty="No conversation yet: n begins one"
        details={(session) => <Conversation key={session.id} panel={props} session={session} />}
        remove={{
          question: removalQuestion,
          run: async ({ id }) => {
            await client.sessions.delete({ session_id: id });
            sessions.again();
          },
        }}
      />
    </Box>
  );
}

const mentions: Column<Session> = {
  title: 'mentions',
  value: ({ mention_count }) => mention_count || '',
  align: 'right',
  colour: () => 'warn',
};

/** Returns the title; that of a room begins with `#`. */
function nameOf({ title, target_type }: Session): string {
  return target_type === 'room' ? `# ${title}` : title;
}

function removalQuestion({ title, target_type, role }: Session): string {
  if (target_type !== 'room') return `Delete '${title}' with all its messages? This cannot be undone.`;
  if (role !== 'owner') return `Leave the room '${title}'? You can no longer read it.`;
  return `End the room '${title}' for everybody, with all its messages? This cannot be undone.`;
}

/** Finds the conversation itself, the one with a member, or the one of a message or a task. */
async function sessionOf({ kind, id }: Opened, { client, readonly }: Props): Promise<Session> {
  if (kind !== 'member') return client.sessions.get({ session_id: await sessionIdOf(kind, String(id), client) });
  if (!readonly) return (await client.contacts.start({ member_id: Number(id) })).session;
  const sessions = await client.sessions.list({ limit: max_sessions, offset: 0 });
  const found = sessions.find(({ target_id }) => target_id === String(id));
  if (found === undefined) throw new Error('There is no conversation with this member yet, and with --readonly none is begun');
  return found;
}

async function sessionIdOf(kind: Opened['kind'], id: string, client: Props['client']): Promise<string> {
  if (kind === 'message') return (await client.messages.get({ message_id: id })).session_id;
  if (kind === 'task') return (await client.tasks.get({ task_id: id })).session_id;
  return id;
}

function headline(sessions: readonly Session[] | undefined): string {
  if (sessions === undefined) return '';
  const unread = sessions.reduce((sum, { unread_count }) => sum + unread_count, 0);
  const count = sessions.length === max_sessions ? `the latest ${max_sessions}` : number(sessions.length);
  return `${count} conversations  unread: ${number(unread)}`;
}

export default { title: 'Chat', order: 40, opens: ['member', 'session', 'message', 'task'], View } satisfies Panel<PanelApi>;
