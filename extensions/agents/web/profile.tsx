import {
  Avatar,
  Badge,
  Card,
  confirm,
  Facts,
  Failed,
  LinkButton,
  Loading,
  Menu,
  mayAdminister,
  Note,
  Page,
  Section,
  useGo,
  useMe,
  useRoute,
  useTexts,
} from '@platform/kit';
import { api, on } from './api.js';
import { EmployeeStatus } from './status.js';
import { catalogue } from './texts/index.js';
import { EmployeeUsage } from './usage.js';

/** Shows what an AI employee can do, to everybody; to administrators also what it has used. */
export function Profile() {
  const text = useTexts(catalogue);
  const isAdmin = mayAdminister(useMe());
  const member_id = Number(useRoute().params.member_id);
  const { data, error, again } = api.useRead('agents.profile', { member_id }, { on });
  return (
    <Page
      title={data?.name ?? text.employee}
      {...(data && {
        text: [`@${data.username}`, data.post].filter(Boolean).join(' · '),
        actions: <Actions id={member_id} name={data.name} />,
      })}
      back={isAdmin ? '/employees' : '/people'}
      narrow
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data ? (
        <>
          <Card>
            <Facts
              items={[
                ['', <Avatar key="avatar" member_id={member_id} name={data.name} isVirtual size="large" presence />],
                [text.status, <EmployeeStatus key="status" status={data.status} />],
                [text.mode, `${text.modes[data.mode]}: ${text.modesHelp[data.mode]}`],
                [text.node, data.node_status === null ? undefined : text.nodeStatuses[data.node_status]],
              ]}
            />
          </Card>
          {data.oversight ? <Note kind="info">{text.oversightNote}</Note> : undefined}
          <Names title={text.skills} names={data.skills} none={text.noSkills} />
          <Names title={text.tools} names={data.tools} none={text.noTools} />
          {isAdmin ? <EmployeeUsage member_id={member_id} /> : undefined}
        </>
      ) : undefined}
    </Page>
  );
}

function Names({ title, names, none }: { title: string; names: readonly string[]; none: string }) {
  return (
    <Section title={title}>
      {names.length === 0 ? (
        <p className="agents-note">{none}</p>
      ) : (
        <ul className="agents-names">
          {names.map((name) => (
            <li key={name}>
              <Badge>{name}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Actions({ id, name }: { id: number; name: string }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const isAdmin = mayAdminister(useMe());
  const remove = api.useWrite('members.delete', {
    reads: ['agents.list', 'members.list', 'members.list_virtual'],
    done: text.deleted,
    after: () => go('/employees'),
  });
  const end = async () => {
    if (!(await confirm({ title: text.delete(name), text: text.deleteHelp, confirm: text.deleteShort, danger: true, name }))) return;
    await remove.run({ id });
  };
  return (
    <>
      <LinkButton kind="primary" icon="message" to={`/chat/with/${id}`}>
        {text.write}
      </LinkButton>
      {isAdmin ? (
        <>
          <LinkButton icon="edit" to={`/employees/${id}/edit`}>
            {text.edit}
          </LinkButton>
          <Menu
            label={text.moreActions}
            items={[{ id: 'delete', label: text.deleteShort, icon: 'delete', danger: true, run: () => void end() }]}
          />
        </>
      ) : undefined}
    </>
  );
}
