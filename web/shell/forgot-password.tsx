import { type FormEvent, useRef, useState } from 'react';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { FormFailure, PlainField } from './plain-form.js';
import { visitorTexts } from './texts/visitor.js';

/** Asks for the name of somebody who forgot the password, and says that a link was mailed if there is such an account. */
export default function ForgotPassword({ session, back }: { session: Session; back: () => void }) {
  const text = useTexts(visitorTexts);
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [isSent, setSent] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !form.current) return;
    const username = String(new FormData(form.current).get('username')).trim();
    setBusy(true);
    setFailure(undefined);
    try {
      await session.ask('/api/auth/forgot-password', { username });
      setSent(true);
    } catch (error) {
      setFailure(isFailure(error) ? error : undefined);
    }
    setBusy(false);
  };
  const toLogIn = (
    <button type="button" className="shell-link" onClick={back}>
      {text.toLogIn}
    </button>
  );
  if (isSent) {
    return (
      <>
        <h1>{text.lookInMail}</h1>
        <p role="status">{text.lookInMailText}</p>
        {toLogIn}
      </>
    );
  }
  return (
    <>
      <h1>{text.newPassword}</h1>
      <p className="shell-log-in-text">{text.forgotText}</p>
      <form ref={form} className="shell-form" onSubmit={(event) => void send(event)}>
        <PlainField name="username" label={text.nameOrAddress} autoComplete="username" maxLength={256} required />
        {failure && <FormFailure failure={failure} />}
        <button type="submit" className="shell-button shell-button-primary" aria-disabled={isBusy}>
          {text.mailLink}
        </button>
        {toLogIn}
      </form>
    </>
  );
}
