import {
  Avatar,
  Badge,
  Button,
  Card,
  confirm,
  Empty,
  Facts,
  Failed,
  List,
  ListItem,
  Loading,
  Page,
  Section,
  Switch,
  TextField,
  Time,
  useGo,
  useKept,
  useMe,
  useRoute,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { useDeferredValue, useState } from 'react';
import type { Member } from '../contract.js';
import { api, on } from './api.js';
import { MemberEmail } from './email.js';
import { InviteDialog, OpenInvitations } from './invitations.js';
import { NewMemberDialog, ResetDialog } from './member-dialogs.js';
import { catalogue } from './texts/index.js';

const page_size = 50;

/** Shows all people with accounts to an administrator. */
export function Members() {
  const text = useTexts(catalogue);
  const [keyword, setKeyword] = useKept('members.keyword', '');
  const [page, setPage] = useState(1);
  const [isAdding, setAdding] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const asked = useDeferredValue(keyword.trim());
  const query = { page, page_size, is_virtual: false, ...(asked !== '' && { keyword: asked }) };
  const { data, error, again } = api.useRead('members.list', query, { on, keep: true });
  const seats = api.useRead('members.seats', {}, { on });
  const pages = Math.max(1, Math.ceil((data?.total ?? 0) / page_size));
  return (
    <Page
      title={text.members}
      text={seats.data ? text.seats(seats.data.used, seats.data.limit) : undefined}
      actions={
        <>
          <Button icon="add" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
          <Button kind="primary" icon="add-person" onClick={() => setInviting(true)}>
            {text.invite}
          </Button>
        </>
      }
      narrow
    >
      <TextField
        label={text.find}
        hidesLabel
        icon="search"
        placeholder={text.find}
        type="search"
        value={keyword}
        onChange={(next) => {
          setKeyword(next);
          setPage(1);
        }}
      />
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data?.items.length === 0 ? <Empty icon="people" title={text.nobody} text={text.nobodyFor(asked)} /> : undefined}
      <List label={text.members} hasLines>
        {data?.items.map(({ id, nickname, username, role, active, created_at }) => (
          <ListItem
            key={id}
            id={id}
            to={`/members/${id}`}
            start={<Avatar member_id={id} name={nickname} presence />}
            title={nickname}
            text={`@${username}`}
            end={
              <>
                {role === 'admin' ? <Badge>{text.admin}</Badge> : undefined}
                {active ? undefined : <Badge kind="warn">{text.inactive}</Badge>}
                <Time iso={created_at} part="date" />
              </>
            }
          />
        ))}
      </List>
      {pages > 1 ? (
        <div className="members-pages">
          <Button kind="quiet" icon="left" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {text.earlier}
          </Button>
          <span>{text.pageOf(page, pages)}</span>
          <Button kind="quiet" icon="right" disabled={page >= pages} onClick={() => setPage(page + 1)}>
            {text.later}
          </Button>
        </div>
      ) : undefined}
      <OpenInvitations />
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : undefined}
      <NewMemberDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

/** Shows one member and what an administrator may do with it. */
export function MemberDetail() {
  const text = useTexts(catalogue);
  const id = Number(useRoute().params.id);
  const { data, error, again } = api.useRead('members.get', { id }, { on });
  return (
    <Page title={data?.nickname ?? text.member} text={data ? `@${data.username}` : undefined} back="/members" narrow>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={5} /> : undefined}
      {data ? <Detail key={id} member={data} /> : undefined}
    </Page>
  );
}

function Detail({ member }: { member: Member }) {
  const text = useTexts(catalogue);
  const { id: own } = useMe();
  const go = useGo();
  const [nickname, setNickname] = useKept(`members.nickname.${member.id}`, member.nickname);
  const [isResetting, setResetting] = useState(false);
  const endUnsaved = useUnsaved(nickname !== member.nickname);
  const reads = ['members.get', 'members.list', 'members.seats'];
  const update = api.useWrite('members.update', { reads, done: text.saved });
  const leave = () => {
    endUnsaved();
    go('/members');
  };
  const remove = api.useWrite('members.delete', { reads, done: text.deleted, after: leave });
  const { id, role, active, username } = member;
  const isOwn = id === own;
  const setActive = async (next: boolean) => {
    const question = { title: text.deactivate(member.nickname), text: text.deactivateHelp, confirm: text.deactivateShort, danger: true };
    if (next || (await confirm(question))) await update.run({ id, active: next });
  };
  const setAdmin = async (isAdmin: boolean) => {
    const question = isAdmin
      ? { title: text.promote(member.nickname), text: text.promoteHelp, confirm: text.promoteShort }
      : { title: text.demote(member.nickname), text: text.demoteHelp, confirm: text.demoteShort, danger: true };
    if (await confirm(question)) await update.run({ id, role: isAdmin ? 'admin' : 'member' });
  };
  const end = async () => {
    const question = {
      title: text.delete(member.nickname),
      text: text.deleteHelp,
      confirm: text.deleteShort,
      danger: true,
      name: username,
    };
    if (await confirm(question)) await remove.run({ id });
  };
  return (
    <>
      <Section title={text.account}>
        <Card>
          <Facts
            items={[
              [text.username, `@${username}`],
              [text.since, <Time key="since" iso={member.created_at} part="date" />],
            ]}
          />
          <form
            className="members-line"
            onSubmit={(event) => {
              event.preventDefault();
              void update.run({ id, nickname: nickname.trim() });
            }}
          >
            <TextField label={text.name} value={nickname} onChange={setNickname} maxLength={64} required />
            <Button type="submit" isBusy={update.isRunning} disabled={nickname.trim() === '' || nickname.trim() === member.nickname}>
              {text.save}
            </Button>
          </form>
          <MemberEmail key={member.email} id={id} email={member.email ?? null} />
        </Card>
      </Section>
      <Section title={text.rights}>
        <Card>
          <Switch
            label={text.isAdmin}
            help={text.isAdminHelp}
            checked={role === 'admin'}
            disabled={isOwn}
            onChange={(next) => void setAdmin(next)}
          />
          <Switch
            label={text.isActive}
            help={text.isActiveHelp}
            checked={active}
            disabled={isOwn}
            onChange={(next) => void setActive(next)}
          />
          {isOwn ? <p className="members-note">{text.notYourself}</p> : undefined}
        </Card>
      </Section>
      <Section title={text.password} text={text.resetHelp}>
        <Button icon="key" onClick={() => setResetting(true)}>
          {text.reset}
        </Button>
      </Section>
      {isOwn ? undefined : (
        <Section title={text.deleteTitle} text={text.deleteHelp}>
          <Button kind="danger" icon="delete" isBusy={remove.isRunning} onClick={() => void end()}>
            {text.delete(member.nickname)}
          </Button>
        </Section>
      )}
      <ResetDialog member={member} isOpen={isResetting} onClose={() => setResetting(false)} />
    </>
  );
}
