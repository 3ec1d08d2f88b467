import { Ask, type AskField } from './ask.js';
import { useFailed, useNotify } from './use-notify.js';

/** What is asked for before something is done. */
export interface Form {
  title: string;
  fields: readonly AskField[];
  /** Told when it is done. Default: nothing. */
  done?: string | undefined;
  send: (values: Readonly<Record<string, string>>) => unknown;
}

export interface FormViewProps {
  form: Form;
  /** It was sent, or given up. */
  close: () => void;
  /** It was sent. */
  again?: (() => void) | undefined;
}

/** A form; one that fails stays, with what was typed. */
export function FormView({ form, close, again }: FormViewProps) {
  const notify = useNotify();
  const failed = useFailed();
  const send = async (values: Readonly<Record<string, string>> | undefined) => {
    if (values === undefined) return close();
    try {
      await form.send(values);
      if (form.done !== undefined) notify(form.done);
      again?.();
      close();
    } catch (thrown) {
      failed(thrown);
    }
  };
  return <Ask title={form.title} fields={form.fields} onDone={(values) => void send(values)} />;
}
