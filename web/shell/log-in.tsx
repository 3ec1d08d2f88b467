import { type FormEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import type { MembersApi } from '../../extensions/members/contract.js';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import type { Session } from '../kit/data/session.js';
import { type Texts, useTexts } from '../kit/data/texts.js';
import { Languages } from './languages.js';
import { Starting } from './starting.js';
import { logInTexts } from './texts/log-in.js';

const ForgotPassword = lazy(() => import('./forgot-password.js'));

const lastName = 'platform:last-name';

/** Shows the view in which a member logs in. It loads before everything else, so it uses plain elements. */
export function LogIn({ session, typed }: { session: Session; typed: () => void }) {
  const text = useTexts(logInTexts);
  const [hasForgotten, setForgotten] = useState(false);
  const methods = useMethods(session);
  useEffect(() => {
    document.title = text.title;
  }, [text]);
  return (
    <main className="shell-log-in">
      <div className="shell-log-in-box" onInput={typed}>
        {hasForgotten ? (
          <Suspense fallback={<Starting />}>
            <ForgotPassword session={session} back={() => setForgotten(false)} />
          </Suspense>
        ) : (
          <>
            <h1>{text.title}</h1>
            <LogInForm session={session} />
            {methods?.password_reset && (
              <button type="button" className="shell-link" onClick={() => setForgotten(true)}>
                {text.forgot}
              </button>
            )}
          </>
        )}
      </div>
      <Languages />
    </main>
  );
}

/** Reads what the server offers besides a password; undefined until it has answered. */
function useMethods(session: Session): MembersApi['auth.methods']['answer'] | undefined {
  const [methods, setMethods] = useState<MembersApi['auth.methods']['answer']>();
  useEffect(() => {
    session.ask('/api/auth/methods').then(
      (found) => setMethods(found as MembersApi['auth.methods']['answer']),
      // The form works without.
      () => undefined,
    );
  }, [session]);
  return methods;
}

/** Asks the member to log in again, over the page, which keeps everything. */
export function LogInAgain({ session }: { session: Session }) {
  const text = useTexts(logInTexts);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    const empty = [...(dialog.current?.querySelectorAll('input') ?? [])].find(({ value }) => value === '');
    empty?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // React Aria leaves the focus to what is marked as a layer above its own dialogs.
    <dialog
      ref={dialog}
      className="shell-log-in-again"
      aria-labelledby={id}
      data-react-aria-top-layer="true"
      onCancel={(event) => event.preventDefault()}
    >
      <h2 id={id}>{text.expired}</h2>
      <p>{text.expiredText}</p>
      <LogInForm session={session} />
      <button type="button" className="shell-link" onClick={() => void leave(session)}>
        {text.other}
      </button>
    </dialog>
  );
}

async function leave(session: Session): Promise<void> {
  await session.logOut().catch(() => location.reload());
}

function LogInForm({ session }: { session: Session }) {
  const text = useTexts(logInTexts);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [isShown, setShown] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [known] = useState(rememberedName);
  useEffect(() => {
    // The view has no other purpose.
    form.current?.querySelector<HTMLInputElement>(known === '' ? '[name=username]' : '[name=password]')?.focus();
  }, [known]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || !form.current) return;
    const fields = new FormData(form.current);
    const [username, password] = [String(fields.get('username')).trim(), String(fields.get('password'))];
    setBusy(true);
    setFailure(undefined);
    try {
      rememberName(username);
      await session.logIn(username, password);
    } catch (error) {
      setFailure(isFailure(error) ? error : undefined);
      setBusy(false);
      form.current?.querySelector<HTMLInputElement>('[name=password]')?.select();
    }
  };
  return (
    // The browser's own password manager recognises these names (WHATWG HTML, "autofill").
    <form ref={form} className="shell-form" onSubmit={(event) => void send(event)}>
      <label htmlFor={`${id}-name`}>{text.username}</label>
      <input
        id={`${id}-name`}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={256}
        defaultValue={known}
      />
      <label htmlFor={`${id}-password`}>{text.password}</label>
      <div className="shell-password">
        <input
          id={`${id}-password`}
          name="password"
          type={isShown ? 'text' : 'password'}
          autoComplete="current-password"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={256}
          aria-describedby={failure ? `${id}-failure` : undefined}
        />
        <button type="button" aria-label={isShown ? text.hidePassword : text.showPassword} onClick={() => setShown(!isShown)}>
          {isShown ? text.hide : text.show}
        </button>
      </div>
      <div id={`${id}-failure`} className="shell-form-failure" role="alert">
        {failure && <p>{headline(failure, text.failures)}</p>}
        {failure && !(failure.code in text.failures) && <p className="shell-form-detail">{failure.message}</p>}
      </div>
      <button type="submit" className="shell-button shell-button-primary" aria-disabled={isBusy}>
        {isBusy ? text.busy : text.submit}
      </button>
    </form>
  );
}

function headline({ code }: Failure, failures: Texts<typeof logInTexts.en.failures>): string {
  return Object.hasOwn(failures, code) ? failures[code as keyof typeof failures] : failures.other;
}

function rememberedName(): string {
  try {
    return localStorage.getItem(lastName) ?? '';
  } catch {
    return '';
  }
}

function rememberName(name: string): void {
  try {
    localStorage.setItem(lastName, name);
  } catch {
    // The member types it again next time.
  }
}
