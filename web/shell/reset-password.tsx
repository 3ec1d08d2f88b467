import { type FormEvent, useRef, useState } from 'react';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { FormFailure, NewPasswordField } from './plain-form.js';
import { visitorTexts } from './texts/visitor.js';

interface ResetPasswordProps {
  session: Session;
  token: string;
  leave: () => void;
}

/** Asks for a new password in place of a forgotten one, and logs the member in with it. */
export function ResetPassword({ session, token, leave }: ResetPasswordProps) {
  const text = useTexts(visitorTexts);
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !form.current) return;
    const password = String(new FormData(form.current).get('password'));
    setBusy(true);
    setFailure(undefined);
    let username: string;
    try {
      ({ username } = (await session.ask('/api/auth/reset-password', { token, new_password: password })) as { username: string });
    } catch (error) {
      setFailure(isFailure(error) ? error : undefined);
      setBusy(false);
      return;
    }
    leave();
    // If this fails the log-in view is there.
    await session.logIn(username, password).catch(() => undefined);
  };
  return (
    <>
      <h1>{text.newPassword}</h1>
      <p className="shell-log-in-text">{text.newPasswordText}</p>
      <form ref={form} className="shell-form" onSubmit={(event) => void send(event)}>
        <NewPasswordField />
        {failure && <FormFailure failure={failure} />}
        <button type="submit" className="shell-button shell-button-primary" aria-disabled={isBusy}>
          {text.setPassword}
        </button>
        <button type="button" className="shell-link" onClick={leave}>
          {text.toLogIn}
        </button>
      </form>
    </>
  );
}
