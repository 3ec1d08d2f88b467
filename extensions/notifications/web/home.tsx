import {
  againAll,
  Count,
  Empty,
  Failed,
  Icon,
  LinkButton,
  List,
  ListItem,
  Loading,
  MemberName,
  mayAdminister,
  operations,
  Page,
  Section,
  Time,
  useMe,
  useTexts,
} from '@platform/kit';
import type { ReactNode } from 'react';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { AgentsApi } from '../../agents/contract.js';
import type { ChatApi, Task } from '../../chat/contract.js';
import type { MembersApi } from '../../members/contract.js';
import { type FirstStep, first_steps, stepsDone } from './first-steps.js';
import { catalogue } from './texts/index.js';

const api = operations<
  Pick<ChatApi, 'sessions.list' | 'tasks.active' | 'tasks.failed'> &
    Pick<AgentsApi, 'approvals.list' | 'agents.list'> &
    Pick<SystemApi, 'backups.list' | 'config.get'> &
    Pick<MembersApi, 'members.seats' | 'auth.me'>
>();

const most = 20;

/** Shows what needs the member: approvals, mentions and unread messages, failed work, and the work that is going on. */
export function Home() {
  const text = useTexts(catalogue);
  const me = useMe();
  const approvals = api.useRead('approvals.list', { status: 'pending', limit: most, offset: 0 }, { on: ['approval.*'] });
  const sessions = api.useRead(
    'sessions.list',
    { limit: 200, offset: 0 },
    { on: ['message.created', 'unread', 'session.updated', 'session.left'] },
  );
  const active = api.useRead('tasks.active', {}, { on: ['task.updated'] });
  const failed = api.useRead('tasks.failed', { limit: 5 }, { on: ['task.updated'] });
  const all = [approvals, sessions, active, failed];
  const fault = all.find(({ error, data }) => error && !data);
  const unread = (sessions.data ?? [])
    .filter(({ unread_count }) => unread_count > 0)
    .sort((one, other) => other.mention_count - one.mention_count || ((one.last_message_at ?? '' < (other.last_message_at ?? '')) ? 1 : -1))
    .slice(0, most);
  const isReady = all.every(({ data }) => data !== undefined);
  const isEmpty = isReady && approvals.data?.length === 0 && unread.length === 0 && active.data?.length === 0 && failed.data?.length === 0;
  return (
    <Page title={text.hello(me.nickname)} narrow>
      {mayAdminister(me) ? <FirstSteps /> : undefined}
      {fault ? <Failed error={fault.error} again={() => againAll(all)} /> : undefined}
      {!isReady && !fault ? <Loading lines={8} /> : undefined}
      {isEmpty ? (
        <Empty
          icon="ok"
          title={text.allDone}
          text={text.allDoneText}
          action={
            <LinkButton icon="message" to="/people">
              {text.writeSomebody}
            </LinkButton>
          }
        />
      ) : undefined}
      <Part title={text.approvals}>
        {approvals.data?.map(({ id, member_id, name, created_at, room_title }) => (
          <ListItem
            key={id}
            id={id}
            to={`/approvals/${id}`}
            isStrong
            start={<Icon name="shield" />}
            title={
              <>
                <MemberName member_id={member_id} /> {text.wantsTo(name)}
              </>
            }
            text={[text.withRights, room_title].filter(Boolean).join(' · ')}
            end={<Time iso={created_at} ago />}
          />
        ))}
      </Part>
      <Part title={text.unread}>
        {unread.map(({ id, title, target_type, unread_count, mention_count, last_message_preview, last_message_at }) => (
          <ListItem
            key={id}
            id={id}
            to={`/chat/${id}`}
            isStrong
            start={<Icon name={target_type === 'room' ? 'room' : target_type === 'ai' ? 'agent' : 'message'} />}
            title={title || text.note}
            text={last_message_preview}
            end={
              <>
                {last_message_at === null ? undefined : <Time iso={last_message_at} ago />}
                <Count n={mention_count > 0 ? mention_count : unread_count} mention={mention_count > 0} />
              </>
            }
          />
        ))}
      </Part>
      <Work active={active.data} failed={failed.data} />
    </Page>
  );
}

/** Shows what AI employees are doing for the member, and what failed lately. */
function Work({ active, failed }: { active: readonly Task[] | undefined; failed: readonly Task[] | undefined }) {
  const text = useTexts(catalogue);
  return (
    <>
      <Part title={text.running}>
        {active?.map(({ id, session_id, title, member_id, status, progress, created_at }) => (
          <ListItem
            key={id}
            id={id}
            to={`/chat/${session_id}`}
            start={<Icon name="agent" />}
            title={title}
            text={
              <>
                <MemberName member_id={member_id} /> {progress ?? (status === 'running' ? text.works : text.waits)}
              </>
            }
            end={<Time iso={created_at} ago />}
          />
        ))}
      </Part>
      <Part title={text.failed}>
        {failed?.map(({ id, session_id, title, error, finished_at }) => (
          <ListItem
            key={id}
            id={id}
            to={`/chat/${session_id}`}
            start={<Icon name="error" />}
            title={title}
            text={error?.message}
            end={finished_at === null ? undefined : <Time iso={finished_at} ago />}
          />
        ))}
      </Part>
    </>
  );
}

/** Shows a list under its heading; nothing if the list is empty. */
function Part({ title, children }: { title: string; children: readonly ReactNode[] | undefined }) {
  if (!children || children.length === 0) return undefined;
  return (
    <Section title={title}>
      <List label={title} hasLines>
        {children}
      </List>
    </Section>
  );
}

/** Shows an administrator of a new installation what is still to do; nothing once all is done. */
function FirstSteps() {
  const text = useTexts(catalogue);
  const me = api.useRead('auth.me', {});
  const config = api.useRead('config.get', {});
  const employees = api.useRead('agents.list', {}, { on: ['member.*'] });
  const seats = api.useRead('members.seats', {}, { on: ['member.*'] });
  const backups = api.useRead('backups.list', {});
  if (!me.data || !config.data || !employees.data || !seats.data || !backups.data) return undefined;
  const done = stepsDone({
    first_password: me.data.first_password ?? false,
    settings: config.data,
    employees: employees.data,
    people: seats.data.used,
    backups: backups.data.length,
  });
  if (first_steps.every((step) => done[step])) return undefined;
  const [employee] = employees.data;
  const to: Readonly<Record<FirstStep, string>> = {
    password: '/me',
    model: employee ? `/employees/${employee.member_id}/edit?part=model` : '/employees',
    employee: '/employees',
    colleague: '/members',
    base_url: '/platform/settings',
    backup: '/platform/backups',
  };
  return (
    <Section title={text.firstSteps} text={text.firstStepsText}>
      <List label={text.firstSteps} hasLines>
        {first_steps.map((step) => (
          <ListItem
            key={step}
            id={step}
            to={to[step]}
            start={<Icon name={done[step] ? 'ok' : 'right'} />}
            title={text.steps[step].title}
            {...(!done[step] && { text: text.steps[step].text })}
            {...(done[step] && { end: text.done })}
          />
        ))}
      </List>
    </Section>
  );
}
