import { Button, Code, failureText, Icon, jsonText, TextField, Time, useMember, useTexts } from '@platform/kit';
import { useId, useState } from 'react';
import { api } from './api.js';
import { mayDecide, useConversation } from './conversation-context.js';
import type { Approval } from './records.js';
import { texts } from './texts.js';

/** Asks for a decision: exactly what will happen, and with whose rights. Others in a room see that something waits, and for whom. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const text = useTexts(texts);
  const parts = useConversation();
  const isMine = mayDecide(approval, parts);
  const asker = useMember(approval.requested_by);
  const agent = useMember(approval.member_id);
  if (!isMine)
    return (
      <p className="chat-approval-other">
        <Icon name="shield" /> {text.approval.waitsFor(asker?.nickname ?? '')}
      </p>
    );
  return (
    <Decision approval={approval} asker={asker?.nickname ?? ''} agent={agent?.nickname ?? ''} isOwn={approval.requested_by === parts.me} />
  );
}

interface DecisionProps {
  approval: Approval;
  asker: string;
  agent: string;
  /** Whether the tool runs with the rights of the member who looks. */
  isOwn: boolean;
}

function Decision({ approval, asker, agent, isOwn }: DecisionProps) {
  const text = useTexts(texts);
  const { feed } = useConversation();
  const title = useId();
  const [reason, setReason] = useState('');
  const [isDenying, setDenying] = useState(false);
  // Streams of rooms hide the input; the asker reads it.
  const whole = api.useRead('approvals.get', { id: approval.id }, { enabled: approval.input === null });
  const decide = api.useWrite('approvals.decide');
  const input = approval.input ?? whole.data?.input ?? null;
  const run = async (decision: 'approve' | 'deny') => {
    const decided = await decide.run({ id: approval.id, decision, reason: decision === 'deny' ? reason : '' });
    if (decided) feed.takeApproval(decided, false);
  };
  return (
    <section className="chat-approval" data-effect={approval.effect} aria-labelledby={title}>
      <h2 id={title}>
        <Icon name="shield" /> {text.approval.title(agent, approval.name)}
      </h2>
      <p>{text.approval.effects[approval.effect]}</p>
      {input === null ? <p className="chat-quiet">{text.approval.noInput}</p> : <Code text={jsonText(input)} />}
      <p className="chat-approval-rights">
        {isOwn ? text.approval.withYourRights : text.approval.withRightsOf(asker)}
        {approval.room_title !== null && ` ${text.approval.roomSees(approval.room_title)}`}
      </p>
      {isDenying && <TextField label={text.approval.reason} value={reason} onChange={setReason} autoFocus />}
      {decide.error && <p className="chat-tool-error">{failureText(decide.error).title}</p>}
      <div className="chat-approval-buttons">
        {!isDenying && (
          <Button kind="primary" isBusy={decide.isRunning} onClick={() => void run('approve')}>
            {text.approval.approve}
          </Button>
        )}
        <Button
          kind={isDenying ? 'danger' : 'plain'}
          isBusy={isDenying && decide.isRunning}
          onClick={() => (isDenying ? void run('deny') : setDenying(true))}
        >
          {text.approval.deny}
        </Button>
        {isDenying && (
          <Button kind="quiet" onClick={() => setDenying(false)}>
            {text.cancel}
          </Button>
        )}
        <span className="chat-quiet">
          {text.approval.expires} <Time iso={approval.expires_at} ago />
        </span>
      </div>
    </section>
  );
}
