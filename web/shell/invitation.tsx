import { useEffect, useState } from 'react';
import type { OpenedInvitation } from '../../extensions/members/contract.js';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { FormFailure, NewPasswordField, PlainField, usePlainForm } from './plain-form.js';
import { Starting } from './starting.js';
import { visitorTexts } from './texts/visitor.js';

interface InvitationProps {
  session: Session;
  token: string;
  leave: () => void;
}

/** Shows an invitation, and the form by which the person becomes a member and is logged in. */
export function Invitation({ session, token, leave }: InvitationProps) {
  const text = useTexts(visitorTexts);
  const [invitation, setInvitation] = useState<OpenedInvitation>();
  const [failure, setFailure] = useState<Failure>();
  const path = `/api/auth/invitations/${token}`;
  useEffect(() => {
    session.ask(path).then(
      (found) => setInvitation(found as OpenedInvitation),
      (error: unknown) => setFailure(isFailure(error) ? error : undefined),
    );
  }, [session, path]);
  if (invitation) return <Join {...{ session, path, leave, invitation }} />;
  if (!failure) return <Starting />;
  return (
    <>
      <h1>{text.invitation}</h1>
      <FormFailure failure={failure} />
      <button type="button" className="shell-button" onClick={leave}>
        {text.toLogIn}
      </button>
    </>
  );
}

function Join({ session, path, leave, invitation }: Omit<InvitationProps, 'token'> & { path: string; invitation: OpenedInvitation }) {
  const text = useTexts(visitorTexts);
  const { form, send, isBusy, failure } = usePlainForm(async (fields) => {
    const fieldOf = (name: string) => String(fields.get(name));
    const [username, nickname, password] = [fieldOf('username').trim(), fieldOf('nickname').trim(), fieldOf('password')];
    await session.ask(path, { username, password, ...(nickname !== '' && { nickname }) });
    leave();
    // If this fails the log-in view is there.
    await session.logIn(username, password).catch(() => undefined);
  });
  return (
    <>
      <h1>{text.invites(invitation.invited_by)}</h1>
      <p className="shell-log-in-text">{invitation.role === 'admin' ? text.chooseAsAdmin : text.choose}</p>
      <form ref={form} className="shell-form" onSubmit={send}>
        <PlainField
          name="username"
          label={text.username}
          help={text.usernameHelp}
          autoComplete="username"
          pattern="[A-Za-z0-9._\-]{2,64}"
          maxLength={64}
          required
        />
        <PlainField name="nickname" label={text.nickname} help={text.nicknameHelp} autoComplete="name" maxLength={64} />
        <NewPasswordField />
        {failure && <FormFailure failure={failure} />}
        <button type="submit" className="shell-button shell-button-primary" aria-disabled={isBusy}>
          {isBusy ? text.joining : text.join}
        </button>
      </form>
    </>
  );
}
