import type { Session } from '../kit/data/session.js';
import { useTexts } from '../kit/data/texts.js';
import { FormFailure, NewPasswordField, usePlainForm } from './plain-form.js';
import { visitorTexts } from './texts/visitor.js';

interface ResetPasswordProps {
  session: Session;
  token: string;
  leave: () => void;
}

/** Asks for a new password in place of a forgotten one, and logs the member in with it. */
export function ResetPassword({ session, token, leave }: ResetPasswordProps) {
  const text = useTexts(visitorTexts);
  const { form, send, isBusy, failure } = usePlainForm(async (fields) => {
    const password = String(fields.get('password'));
    const answer = await session.ask('/api/auth/reset-password', { token, new_password: password });
    leave();
    // If this fails the log-in view is there.
    await session.logIn((answer as { username: string }).username, password).catch(() => undefined);
  });
  return (
    <>
      <h1>{text.newPassword}</h1>
      <p className="shell-log-in-text">{text.newPasswordText}</p>
      <form ref={form} className="shell-form" onSubmit={send}>
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
