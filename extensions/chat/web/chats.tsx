import { Button, Empty, Split, useGo, usePageTitle, useRoute, useShortcut, useTexts } from '@platform/kit';
import { Conversation } from './conversation.js';
import { openDialog } from './dialogs.js';
import { OpenDialogs } from './open-dialogs.js';
import { useSessionName } from './session-name.js';
import { Sidebar } from './sidebar.js';
import { StartWith } from './start-with.js';
import { texts } from './texts.js';
import { useSessions } from './use-sessions.js';

/** The chat: the list of conversations beside the open one. */
export function Chats() {
  const text = useTexts(texts);
  const go = useGo();
  const { params, query } = useRoute();
  const { session_id, message_id, member_id } = params;
  const sessions = useSessions(session_id);
  const unread = sessions.list?.filter(({ unread_count, notifications }) => unread_count > 0 && notifications.level !== 'none').length ?? 0;
  const shown = sessions.list?.find(({ id }) => id === session_id);
  usePageTitle(useSessionName(shown ?? { title: text.title, target_type: 'ai', target_id: '' }), { unread });
  const step = (by: 1 | -1) => {
    const all = sessions.list ?? [];
    const next = all[all.findIndex(({ id }) => id === session_id) + by];
    if (next) go(`/chat/${next.id}`);
  };
  useShortcut('alt+arrowdown', text.keys.next, () => step(1));
  useShortcut('alt+arrowup', text.keys.previous, () => step(-1));
  useShortcut('mod+shift+f', text.keys.search, () => document.querySelector<HTMLInputElement>('.chat-search input')?.focus());
  useShortcut('mod+shift+o', text.keys.create, () => openDialog({ kind: 'new' }));
  useShortcut('mod+shift+m', text.keys.write, () => document.querySelector<HTMLTextAreaElement>('.chat-composer .chat-input')?.focus());
  const thread = query.get('thread');
  const panel =
    thread !== null
      ? ({ kind: 'thread', id: thread } as const)
      : query.get('panel') === 'details'
        ? ({ kind: 'details' } as const)
        : undefined;
  return (
    <>
      <Split
        sideLabel={text.groups.label}
        side={<Sidebar sessions={sessions} open={session_id} />}
        isMainOpen={session_id !== undefined || member_id !== undefined}
        main={
          member_id !== undefined ? (
            <StartWith key={member_id} member_id={member_id} />
          ) : session_id !== undefined ? (
            <Conversation key={session_id} session_id={session_id} message_id={message_id} panel={panel} />
          ) : (
            <div className="chat-list-state">
              <Empty
                icon="message"
                title={text.list.choose}
                text={text.list.chooseHint}
                action={<Button onClick={() => openDialog({ kind: 'new' })}>{text.create.title}</Button>}
              />
            </div>
          )
        }
      />
      <OpenDialogs />
    </>
  );
}
