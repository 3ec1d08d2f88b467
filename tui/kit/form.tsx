import { useState } from 'react';
import { isFailure } from '../../kernel/contract/failure.js';
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

/** A form; one that fails stays, with what was typed and, where that is told, what is wrong with which field. */
export function FormView({ form, close, again }: FormViewProps) {
  const notify = useNotify();
  const failed = useFailed();
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>();
  const send = async (values: Readonly<Record<string, string>> | undefined) => {
    if (values === undefined) return close();
    try {
      await form.send(values);
      if (form.done !== undefined) notify(form.done);
      again?.();
      close();
    } catch (thrown) {
      const { known, isAll } = faultsOf(thrown, form.fields);
      setFaults(known);
      if (!isAll) failed(thrown);
    }
  };
  return <Ask title={form.title} fields={form.fields} faults={faults} onDone={(values) => void send(values)} />;
}

/** What of a failure belongs to a field, and whether that is all of it. */
function faultsOf(thrown: unknown, fields: readonly AskField[]): { known: Record<string, string>; isAll: boolean } {
  const known: Record<string, string> = {};
  const details = (isFailure(thrown) && thrown.details) || [];
  for (const { path, message } of details) {
    const name = path.split('.')[0] ?? '';
    if (fields.some((field) => field.name === name)) known[name] ??= message;
  }
  return { known, isAll: details.length > 0 && details.every(({ path }) => Object.hasOwn(known, path.split('.')[0] ?? '')) };
}
