import { useState } from 'react';
import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { FormFailure, PlainField, usePlainForm } from './plain-form.js';
import { visitorTexts } from './texts/visitor.js';

/** Asks for the name of somebody who forgot the password, and says that a link was mailed if there is such an account. */
export default function ForgotPassword({ session, back }: { session: Session; back: () => void }) {
  const text = useTexts(visitorTexts);
  const [isSent, setSent] = useState(false);
  const { form, send, isBusy, failure } = usePlainForm(async (fields) => {
    await session.ask('/api/auth/forgot-password', { username: String(fields.get('username')).trim() });
    setSent(true);
  });
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
      <form ref={form} className="shell-form" onSubmit={send}>
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
