import {
  AgentMark,
  Avatar,
  Badge,
  confirm,
  Go,
  Icon,
  IconButton,
  Menu,
  type MenuEntry,
  useGo,
  useKept,
  useMember,
  useRoute,
  useTexts,
} from '@platform/kit';
import { api, sessions_input } from './api.js';
import { useConversation } from './conversation-context.js';
import { openDialog } from './dialogs.js';
import { useSessionName } from './session-name.js';
import { texts } from './texts.js';

/** The head of a conversation: its name, its topic, who is there, and what can be done with it. */
export function ConversationHead() {
  const text = useTexts(texts);
  const { session } = useConversation();
  const { query } = useRoute();
  const go = useGo();
  const name = useSessionName(session);
  const isRoom = session.target_type === 'room';
  const isOpen = query.get('panel') === 'details';
  return (
    <header className="chat-head">
      <Go to="/chat" className="kit-button kit-button-quiet kit-button-icon chat-back" aria-label={text.conversation.back}>
        <Icon name="back" />
      </Go>
      <Mark />
      <div className="chat-head-text">
        <h1>
          <bdi>{name}</bdi>
          {session.target_type === 'ai' && <Partner />}
          {session.visibility === 'open' && isRoom && <Badge>{text.room.open}</Badge>}
        </h1>
        {session.topic !== '' && <p title={session.topic}>{session.topic}</p>}
      </div>
      <IconButton
        icon={isRoom ? 'people' : 'info'}
        label={isRoom ? text.room.members(session.member_count) : text.conversation.details}
        isPressed={isOpen}
        onClick={() => go(isOpen ? `/chat/${session.id}` : `/chat/${session.id}?panel=details`)}
      />
      <More />
    </header>
  );
}

function Mark() {
  const { session } = useConversation();
  if (session.target_type === 'room') return <Icon name={session.visibility === 'open' ? 'room' : 'lock'} size={20} />;
  if (session.target_type === '') return <Icon name="edit" size={20} />;
  return <Avatar member_id={Number(session.target_id) || undefined} presence={session.target_id !== ''} />;
}

function Partner() {
  const { session } = useConversation();
  const member = useMember(Number(session.target_id) || undefined);
  return (
    <span className="chat-partner">
      {member?.nickname} <AgentMark />
    </span>
  );
}

function More() {
  const text = useTexts(texts);
  const go = useGo();
  const { session, acts } = useConversation();
  const [, searchIn] = useKept<string | undefined>('chat.search.in', undefined);
  const isEnding = session.target_type === 'room' && session.role === 'owner';
  const isLeaving = session.target_type === 'room' && !isEnding;
  const kind = isEnding ? 'end' : isLeaving ? 'leave' : session.target_type === 'member' ? 'hide' : 'delete';
  const remove = async () => {
    const question = text.conversation.removals[kind];
    const isSure = await confirm({
      title: question.title(session.title),
      text: question.text,
      confirm: question.confirm,
      danger: true,
      ...(kind === 'end' ? { name: session.title } : {}),
    });
    if (!isSure) return;
    try {
      await api.call('sessions.delete', { session_id: session.id });
      api.cached('sessions.list', sessions_input).set((all) => all.filter(({ id }) => id !== session.id));
      go('/chat', { replace: true });
    } catch (error) {
      acts.failed(error);
    }
  };
  const searchHere = () => {
    searchIn(session.id);
    document.querySelector<HTMLInputElement>('.chat-search input')?.focus();
  };
  const items: (MenuEntry | null)[] = [
    { id: 'search', label: text.conversation.searchHere, icon: 'search', run: searchHere },
    { id: 'link', label: text.conversation.copyLink, icon: 'link', run: () => acts.copyConversationLink() },
    {
      id: 'export',
      label: text.conversation.export,
      icon: 'download',
      run: () => openDialog({ kind: 'export', session_id: session.id, title: session.title }),
    },
    null,
    {
      id: 'remove',
      label: text.conversation.removals[kind].confirm,
      icon: kind === 'leave' ? 'log-out' : 'delete',
      danger: true,
      run: () => void remove(),
    },
  ];
  return <Menu label={text.conversation.more} items={items} />;
}
