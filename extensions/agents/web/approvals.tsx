import {
  Badge,
  Button,
  Card,
  Code,
  Empty,
  Facts,
  Failed,
  jsonText,
  LinkButton,
  Loading,
  MemberName,
  Note,
  Page,
  Section,
  TextField,
  Time,
  useRoute,
  useTexts,
} from '@platform/kit';
import { useState } from 'react';
import type { Approval } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

const on = ['approval.*'];

/** Shows the tool calls that wait for the member's decision, and the last decided ones. */
export function Approvals() {
  const text = useTexts(catalogue);
  const { id } = useRoute().params;
  const pending = api.useRead('approvals.list', { status: 'pending', limit: 100, offset: 0 }, { on });
  const all = api.useRead('approvals.list', { limit: 20, offset: 0 }, { on });
  const named = api.useRead('approvals.get', { id: id ?? '' }, { on, enabled: id !== undefined });
  const others = pending.data?.filter((approval) => approval.id !== id) ?? [];
  const decided = all.data?.filter(({ status, id: each }) => status !== 'pending' && each !== id) ?? [];
  return (
    <Page title={text.approvals} text={text.approvalsHelp} narrow>
      {named.error ? <Failed error={named.error} /> : undefined}
      {named.data ? <ApprovalCard key={named.data.id} approval={named.data} /> : undefined}
      {pending.error && !pending.data ? <Failed error={pending.error} again={pending.again} /> : undefined}
      {!pending.data && !pending.error ? <Loading lines={4} /> : undefined}
      {pending.data && others.length === 0 && !named.data ? <Empty icon="shield" title={text.nothingWaits} /> : undefined}
      {others.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      {decided.length > 0 ? (
        <Section title={text.decided}>
          <ul className="agents-decided">
            {decided.map((approval) => (
              <li key={approval.id}>
                <StatusOf approval={approval} /> <MemberName member_id={approval.member_id} />: <code>{approval.name}</code>{' '}
                <Time iso={approval.decided_at ?? approval.created_at} ago />
              </li>
            ))}
          </ul>
        </Section>
      ) : undefined}
    </Page>
  );
}

function StatusOf({ approval: { status } }: { approval: Approval }) {
  const text = useTexts(catalogue);
  return <Badge kind={status === 'approved' ? 'ok' : status === 'pending' ? 'warn' : 'neutral'}>{text.approvalStatuses[status]}</Badge>;
}

/** Says exactly what will happen and with whose rights, and takes the decision. */
function ApprovalCard({ approval }: { approval: Approval }) {
  const text = useTexts(catalogue);
  const [reason, setReason] = useState('');
  const decide = api.useWrite('approvals.decide', { reads: ['approvals.list', 'approvals.get'] });
  const { id, name, input, effect, member_id, requested_by, room_title, session_id, expires_at, status } = approval;
  const run = (decision: 'approve' | 'deny') => void decide.run({ id, decision, reason: reason.trim() });
  return (
    <Card>
      <div className="agents-line">
        <h2>
          <MemberName member_id={member_id} /> {text.wantsTo} <code>{name}</code>
        </h2>
        <StatusOf approval={approval} />
      </div>
      {decide.error ? <Failed error={decide.error} /> : undefined}
      <Code text={jsonText(input)} label={text.input} wraps />
      <Facts
        items={[
          [text.effect, text.effects[effect]],
          [text.rightsOf, <MemberName key="rights" member_id={requested_by} />],
          [text.room, room_title],
          [text.expires, status === 'pending' ? <Time key="expires" iso={expires_at} ago /> : undefined],
          [text.reason, approval.reason || undefined],
        ]}
      />
      {room_title === null ? undefined : <Note kind="info">{text.roomSees(room_title)}</Note>}
      {status === 'pending' ? (
        <>
          <TextField label={text.reason} isOptional value={reason} onChange={setReason} maxLength={2_000} />
          <div className="agents-buttons">
            <Button kind="primary" icon="check" isBusy={decide.isRunning} onClick={() => run('approve')}>
              {text.approve}
            </Button>
            <Button icon="close" isBusy={decide.isRunning} onClick={() => run('deny')}>
              {text.deny}
            </Button>
            <LinkButton kind="quiet" icon="message" to={`/chat/${session_id}`}>
              {text.openSession}
            </LinkButton>
          </div>
        </>
      ) : undefined}
    </Card>
  );
}
