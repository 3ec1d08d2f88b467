import { type FormEvent, type InputHTMLAttributes, type RefObject, useId, useRef, useState } from 'react';
import { type Failure, isFailure } from '../../kernel/contract/failure.js';
import { useTexts } from '../kit/data/texts.js';
import { logInTexts } from './texts/log-in.js';
import { visitorTexts } from './texts/visitor.js';

interface PlainFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  help?: string;
}

interface PlainForm {
  form: RefObject<HTMLFormElement | null>;
  send: (event: FormEvent) => void;
  isBusy: boolean;
  /** Failure of the last attempt. */
  failure: Failure | undefined;
}

/** Sends a form that loads before the kit, once at a time. `work` gets the fields; its failure is for {@link FormFailure}. */
export function usePlainForm(work: (fields: FormData) => Promise<void>): PlainForm {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const send = async () => {
    if (isBusy || !form.current) return;
    const fields = new FormData(form.current);
    setBusy(true);
    setFailure(undefined);
    try {
      await work(fields);
    } catch (error) {
      if (!isFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  return { form, send: onSubmit, isBusy, failure };
}

/** Shows a field of a form that loads before the kit. */
export function PlainField({ label, help, ...rest }: PlainFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <p id={`${id}-help`} className="shell-form-help">
          {help}
        </p>
      )}
      <input id={id} autoCapitalize="none" spellCheck={false} aria-describedby={help === undefined ? undefined : `${id}-help`} {...rest} />
    </>
  );
}

/** Shows the field of a new password, which can be made visible. */
export function NewPasswordField() {
  const text = useTexts(visitorTexts);
  const { show, hide, showPassword, hidePassword } = useTexts(logInTexts);
  const id = useId();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <label htmlFor={id}>{text.password}</label>
      <p id={`${id}-help`} className="shell-form-help">
        {text.passwordHelp}
      </p>
      <div className="shell-password">
        <input
          id={id}
          name="password"
          type={isShown ? 'text' : 'password'}
          autoComplete="new-password"
          autoCapitalize="none"
          spellCheck={false}
          required
          minLength={8}
          maxLength={256}
          aria-describedby={`${id}-help`}
        />
        <button type="button" aria-label={isShown ? hidePassword : showPassword} onClick={() => setShown(!isShown)}>
          {isShown ? hide : show}
        </button>
      </div>
    </>
  );
}

/** Shows why a form was refused. */
export function FormFailure({ failure: { code, message } }: { failure: Failure }) {
  const { failures } = useTexts(visitorTexts);
  const isKnown = Object.hasOwn(failures, code);
  return (
    <div className="shell-form-failure" role="alert">
      <p>{isKnown ? failures[code as keyof typeof failures] : failures.other}</p>
      {!isKnown && <p className="shell-form-detail">{message}</p>}
    </div>
  );
}
