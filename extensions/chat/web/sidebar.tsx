import {
  Avatar,
  Button,
  Count,
  Empty,
  Failed,
  Icon,
  IconButton,
  List,
  ListItem,
  Loading,
  Menu,
  useKept,
  useKeptScroll,
  useTexts,
} from '@platform/kit';
import { memo, type ReactNode } from 'react';
import type { Session } from '../contract.js';
import { openDialog } from './dialogs.js';
import { SearchField, SearchResults } from './search.js';
import { useSessionName } from './session-name.js';
import { texts } from './texts.js';
import type { Sessions } from './use-sessions.js';

export interface SidebarProps {
  sessions: Sessions;
  open: string | undefined;
}

/** Lists the member's conversations: rooms, people, AI employees; or what a search has found. */
export function Sidebar({ sessions, open }: SidebarProps) {
  const text = useTexts(texts);
  const [query, setQuery] = useKept('chat.search', '');
  const [, searchIn] = useKept<string | undefined>('chat.search.in', undefined);
  const search = (next: string) => {
    setQuery(next);
    if (next === '') searchIn(undefined);
  };
  const scroll = useKeptScroll('chat.sidebar');
  const [onlyUnread, setOnlyUnread] = useKept('chat.unread', false, { persisted: true });
  return (
    <div className="chat-side">
      <div className="chat-side-head">
        <h1>{text.title}</h1>
        <IconButton icon="filter" label={text.list.onlyUnread} isPressed={onlyUnread} onClick={() => setOnlyUnread(!onlyUnread)} />
        <IconButton icon="bell" label={text.notices.title} onClick={() => openDialog({ kind: 'notices' })} />
        <Menu
          icon="add"
          label={text.create.menu}
          items={[
            { id: 'new', label: text.create.title, icon: 'message', run: () => openDialog({ kind: 'new' }), keys: 'mod+shift+o' },
            { id: 'room', label: text.room.create, icon: 'room', run: () => openDialog({ kind: 'room' }) },
            { id: 'browse', label: text.room.browse, icon: 'search', run: () => openDialog({ kind: 'browse' }) },
          ]}
        />
      </div>
      <SearchField value={query} onChange={search} />
      <div ref={scroll} className="chat-side-body">
        {query.trim() === '' ? (
          <All sessions={sessions} open={open} onlyUnread={onlyUnread} />
        ) : (
          <SearchResults query={query} sessions={sessions.list ?? []} />
        )}
      </div>
    </div>
  );
}

function All({ sessions: { list, error, again, more, isReadingMore }, open, onlyUnread }: SidebarProps & { onlyUnread: boolean }) {
  const text = useTexts(texts);
  if (!list) return error ? <Failed error={error} again={again} /> : <Loading lines={8} />;
  if (list.length === 0)
    return (
      <Empty
        icon="message"
        title={text.list.noConversations}
        text={text.list.noConversationsHint}
        action={
          <Button kind="primary" onClick={() => openDialog({ kind: 'new' })}>
            {text.create.title}
          </Button>
        }
      />
    );
  const shown = onlyUnread ? list.filter(({ id, unread_count }) => unread_count > 0 || id === open) : list;
  if (shown.length === 0) return <Empty icon="check" title={text.list.nothingUnread} />;
  const of = (...types: Session['target_type'][]) => shown.filter(({ target_type }) => types.includes(target_type));
  return (
    <>
      <Group id="rooms" title={text.groups.rooms} sessions={of('room')} open={open} />
      <Group id="people" title={text.groups.people} sessions={of('member', '')} open={open} />
      <Group id="agents" title={text.groups.agents} sessions={of('ai')} open={open} />
      {more && (
        <Button kind="quiet" isBusy={isReadingMore} onClick={more}>
          {text.list.more}
        </Button>
      )}
    </>
  );
}

interface GroupProps {
  id: string;
  title: string;
  sessions: readonly Session[];
  open: string | undefined;
}

/** A group that can be folded. Folded, it still shows what is unread. */
function Group({ id, title, sessions, open }: GroupProps) {
  const [isFolded, setFolded] = useKept(`chat.folded.${id}`, false, { persisted: true });
  if (sessions.length === 0) return null;
  const shown = isFolded ? sessions.filter((session) => session.unread_count > 0 || session.id === open) : sessions;
  return (
    <section className="chat-group">
      <button type="button" className="chat-group-head" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
        <Icon name={isFolded ? 'right' : 'down'} size={14} />
        {title}
      </button>
      <List label={title}>
        {shown.map((session) => (
          <SessionRow key={session.id} session={session} isOpen={session.id === open} />
        ))}
      </List>
    </section>
  );
}

const SessionRow = memo(function SessionRow({ session, isOpen }: { session: Session; isOpen: boolean }) {
  const text = useTexts(texts);
  const name = useSessionName(session);
  const { id, unread_count, mention_count, active_task_id, target_type, notifications } = session;
  const isMuted =
    notifications.level === 'none' || (notifications.muted_until !== null && Date.parse(notifications.muted_until) > Date.now());
  const isUnread = unread_count > 0 && !isMuted;
  // In a conversation of two every message is meant for the member.
  const mentions = target_type === 'room' ? mention_count : unread_count;
  return (
    <ListItem
      id={id}
      to={`/chat/${id}`}
      isSelected={isOpen}
      isStrong={isUnread}
      start={markOf(session)}
      title={<bdi>{name}</bdi>}
      end={
        <>
          {active_task_id !== null && <span className="chat-working" role="img" aria-label={text.list.working} title={text.list.working} />}
          {isMuted && <Icon name="bell-off" size={14} label={text.notifications.muted} />}
          {mentions > 0 ? <Count n={mentions} mention /> : <Count n={unread_count} />}
        </>
      }
    />
  );
});

function markOf({ target_type, target_id, visibility }: Session): ReactNode {
  if (target_type === 'room') return <Icon name={visibility === 'open' ? 'room' : 'lock'} />;
  if (target_type === '') return <Icon name="edit" />;
  return (
    <Avatar
      member_id={Number(target_id) || undefined}
      isVirtual={target_type === 'ai' ? true : undefined}
      size="small"
      presence={target_type === 'member'}
    />
  );
}
