import { useState } from 'react';
import { isFailure } from '../../kernel/contract/failure.js';
import { Ask, type AskField } from './ask.js';
import { useFailed, useNotify } from './use-notify.js';

/** A form to fill in before an action. */
export interface Form {
  title: string;
  fields: readonly AskField[];
  /** Notice after success. Default: none. */
  done?: string | undefined;
  send: (values: Readonly<Record<string, string>>) => unknown;
}

export interface FormViewProps {
  form: Form;
  /** Called when the form was sent or cancelled. */
  close: () => void;
  /** Called after the form was sent. */
  again?: (() => void) | undefined;
}

/** Shows a form. After a failure it stays open with the typed values and the faults of each field. */
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

/** Returns the details of a failure by field, and whether every detail belongs to a field. */
function faultsOf(thrown: unknown, fields: readonly AskField[]): { known: Record<string, string>; isAll: boolean } {
  const known: Record<string, string> = {};
  const details = (isFailure(thrown) && thrown.details) || [];
  for (const { path, message } of details) {
    const name = path.split('.')[0] ?? '';
    if (fields.some((field) => field.name === name)) known[name] ??= message;
  }
  return { known, isAll: details.length > 0 && details.every(({ path }) => Object.hasOwn(known, path.split('.')[0] ?? '')) };
}
