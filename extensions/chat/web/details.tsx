import {
  Avatar,
  Button,
  confirm,
  Failed,
  Go,
  Icon,
  List,
  ListItem,
  Loading,
  MemberName,
  Menu,
  type MenuEntry,
  TextArea,
  TextField,
  useMe,
  useMember,
  useNotify,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { Select } from '@platform/kit/forms';
import { useState } from 'react';
import type { Answers, RoomRole, Session, SessionMember } from '../contract.js';
import { api } from './api.js';
import { useConversation } from './conversation-context.js';
import { MemberChoice } from './member-choice.js';
import { NotificationLevel } from './notification-level.js';
import { texts } from './texts.js';

/** Shows what a conversation is: of a room its topic, members and their roles; the member's own notifications. */
export function Details() {
  const text = useTexts(texts);
  const { session } = useConversation();
  const isRoom = session.target_type === 'room';
  return (
    <aside className="chat-panel" aria-label={text.conversation.details}>
      <header className="chat-head">
        <h2>{isRoom ? text.room.title : text.conversation.details}</h2>
        <Go to={`/chat/${session.id}`} className="kit-button kit-button-quiet kit-button-icon" aria-label={text.conversation.closeDetails}>
          <Icon name="close" />
        </Go>
      </header>
      <div className="chat-panel-body">
        {isRoom &&
          (session.role === 'owner' ? (
            <RoomForm key={JSON.stringify([session.title, session.topic, session.visibility])} session={session} />
          ) : (
            <RoomFacts session={session} />
          ))}
        {session.target_type === 'ai' && <Partner />}
        <NotificationLevel session={session} />
        <Members />
      </div>
    </aside>
  );
}

function Partner() {
  const text = useTexts(texts);
  const { session } = useConversation();
  const id = Number(session.target_id) || undefined;
  const member = useMember(id);
  if (id === undefined || !member) return null;
  return (
    <p>
      <Go to={`/employees/${id}`}>{text.conversation.about(member.nickname)}</Go>
    </p>
  );
}

function RoomFacts({ session }: { session: Session }) {
  const text = useTexts(texts);
  return (
    <section className="chat-facts-block">
      <h3>{text.room.topic}</h3>
      <p>{session.topic || text.room.noTopic}</p>
      <p className="chat-quiet">{text.room.visibilities[session.visibility].text}</p>
    </section>
  );
}

function RoomForm({ session }: { session: Session }) {
  const text = useTexts(texts);
  const notify = useNotify();
  const [title, setTitle] = useState(session.title);
  const [topic, setTopic] = useState(session.topic);
  const [visibility, setVisibility] = useState(session.visibility);
  const update = api.useWrite('sessions.update', { reads: ['sessions.get', 'sessions.list'] });
  const isChanged = title !== session.title || topic !== session.topic || visibility !== session.visibility;
  useUnsaved(isChanged);
  const save = async () => {
    const isWidened = visibility === 'open' && session.visibility === 'private';
    if (
      isWidened &&
      !(await confirm({
        title: text.room.openTitle(session.title),
        text: text.room.openText,
        confirm: text.room.openConfirm,
        danger: true,
      }))
    )
      return;
    if (await update.run({ session_id: session.id, title, topic, visibility })) notify(text.saved, { kind: 'success' });
  };
  return (
    <form
      className="chat-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField label={text.room.name} value={title} onChange={setTitle} required maxLength={200} />
      <TextArea label={text.room.topic} value={topic} onChange={setTopic} maxLength={500} grows />
      <Select
        label={text.room.visibility}
        value={visibility}
        onChange={(next) => setVisibility(next as Session['visibility'])}
        options={(['private', 'open'] as const).map((id) => ({
          id,
          label: text.room.visibilities[id].label,
          detail: text.room.visibilities[id].text,
        }))}
      />
      {update.error && <Failed error={update.error} />}
      {isChanged && (
        <Button kind="primary" type="submit" isBusy={update.isRunning}>
          {text.save}
        </Button>
      )}
    </form>
  );
}

function Members() {
  const text = useTexts(texts);
  const { session } = useConversation();
  const { data, error } = api.useRead('sessions.members', { session_id: session.id }, { on: ['session.updated'] });
  const [isAdding, setAdding] = useState(false);
  const { id: own } = useMe();
  const isRoom = session.target_type === 'room';
  const mayAdd = !isRoom || session.role === 'owner';
  return (
    <section>
      <div className="chat-section-head">
        <h3>{text.room.members(data?.length ?? session.member_count)}</h3>
        {mayAdd && session.target_type !== '' && (
          <Button isSmall icon="add-person" onClick={() => setAdding(!isAdding)}>
            {text.room.add}
          </Button>
        )}
      </div>
      {isAdding && <AddMembers members={data ?? []} done={() => setAdding(false)} />}
      {error && <Failed error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <List label={text.room.members(data.length)}>
          {data.map((member) => (
            <ListItem
              key={member.member_id}
              id={member.member_id}
              to={pathOf(member, own)}
              start={<Avatar member_id={member.member_id} name={member.nickname} isVirtual={member.is_virtual} presence />}
              title={<MemberName member_id={member.member_id} name={member.nickname} isVirtual={member.is_virtual} />}
              text={isRoom ? memberText(member, text) : `@${member.username}`}
              actions={<MemberMenu member={member} />}
            />
          ))}
        </List>
      )}
    </section>
  );
}

/** Returns where more about a member is; a plugin's own member has no page. */
function pathOf({ member_id, is_virtual, is_guest }: SessionMember, own: number): string | undefined {
  if (member_id === own) return '/me';
  if (is_guest) return undefined;
  return is_virtual ? `/employees/${member_id}` : `/chat/with/${member_id}`;
}

type Words = ReturnType<typeof useTexts<typeof texts.en>>;

function memberText({ username, role, answers }: SessionMember, text: Words): string {
  const words = [role === 'owner' ? text.room.roles.owner : `@${username}`];
  if (answers !== null) words.push(text.room.answers[answers]);
  return words.join(' · ');
}

function AddMembers({ members, done }: { members: readonly SessionMember[]; done: () => void }) {
  const text = useTexts(texts);
  const { session, acts } = useConversation();
  const notify = useNotify();
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [isBusy, setBusy] = useState(false);
  const isRoom = session.target_type === 'room';
  const add = async () => {
    const title = isRoom ? text.room.addTitle(session.title) : text.room.newFromTwoTitle;
    if (!(await confirm({ title, text: isRoom ? text.room.addText : text.room.newFromTwoText, confirm: text.room.add }))) return;
    setBusy(true);
    try {
      await api.call('sessions.add_member', { session_id: session.id, member_ids: chosen });
      api.again('sessions.members');
      api.again('sessions.list');
      notify(isRoom ? text.room.addedCount(chosen.length) : text.room.newFromTwoDone, { kind: 'success' });
      done();
    } catch (error) {
      acts.failed(error);
    }
    setBusy(false);
  };
  return (
    <div className="chat-form">
      <MemberChoice label={text.room.whom} value={chosen} onChange={setChosen} except={members.map(({ member_id }) => member_id)} />
      <div className="chat-edit-buttons">
        <Button kind="primary" isBusy={isBusy} aria-disabled={chosen.length === 0} onClick={() => chosen.length > 0 && void add()}>
          {text.room.add}
        </Button>
        <Button kind="quiet" onClick={done}>
          {text.cancel}
        </Button>
      </div>
    </div>
  );
}

function MemberMenu({ member }: { member: SessionMember }) {
  const text = useTexts(texts);
  const { session, me, acts } = useConversation();
  const { id: session_id, role } = session;
  const { member_id, nickname } = member;
  if (session.target_type !== 'room' || (role !== 'owner' && member_id !== me)) return null;
  const change = (changes: { role?: RoomRole; answers?: Answers }) => {
    api
      .call('sessions.update_member', { session_id, member_id, ...changes })
      .then(() => api.again('sessions.members', { session_id }))
      .catch(acts.failed);
  };
  const remove = async () => {
    const isSelf = member_id === me;
    const { title, text: about, confirm: label } = isSelf ? text.conversation.removals.leave : text.room.removal;
    if (!(await confirm({ title: title(isSelf ? session.title : nickname), text: about, confirm: label, danger: true }))) return;
    await api.call('sessions.remove_member', { session_id, member_id });
    api.again('sessions.members', { session_id });
    api.again('sessions.list');
  };
  const roles: MenuEntry[] =
    role !== 'owner' || member.is_virtual
      ? []
      : (['owner', 'member'] as const).map((id) => ({
          id,
          label: text.room.roles[id],
          isChosen: member.role === id,
          run: () => change({ role: id }),
        }));
  const answers: MenuEntry[] =
    role !== 'owner' || member.answers === null
      ? []
      : (['mentioned', 'always', 'never'] as const).map((id) => ({
          id,
          label: text.room.answers[id],
          isChosen: member.answers === id,
          run: () => change({ answers: id }),
        }));
  const leave = member_id === me ? text.conversation.removals.leave.confirm : text.room.removal.confirm;
  const last: MenuEntry = { id: 'remove', label: leave, icon: 'log-out', danger: true, run: () => void remove().catch(acts.failed) };
  const groups = [roles, answers].filter((group) => group.length > 0);
  return <Menu isSmall label={text.room.memberMenu(nickname)} items={[...groups.flatMap((group) => [...group, null]), last]} />;
}
