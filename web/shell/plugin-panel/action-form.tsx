import { useState } from 'react';
import { inputFrom, missingFields } from '../../../kernel/client/panel-input.js';
import type { Row } from '../../../kernel/client/panel-rows.js';
import type { OperationData, PanelAction } from '../../../kernel/contract/manifest.js';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { failureText, faultsOf } from '../../kit/data/failure-text.js';
import { useKept } from '../../kit/data/kept.js';
import { useUnsaved } from '../../kit/data/unsaved.js';
import { type FormValue, SchemaForm } from '../../kit/forms.js';
import { Button, Dialog, Note } from '../../kit/index.js';
import { useShellTexts } from '../texts/index.js';

const nothing: FormValue = {};

/** Returns whether a person must be asked for a part of the action's input. */
export function needsForm(action: PanelAction, row: Row, operation: OperationData): boolean {
  return missingFields(action.of === 'list' ? {} : inputFrom(row, operation), operation).length > 0;
}

interface ActionFormProps {
  action: PanelAction;
  row: Row;
  operation: OperationData;
  run: (input: object) => Promise<void>;
  close: () => void;
}

/** Asks for the part of an action's input that the record doesn't have. */
export function ActionForm({ action, row, operation, run, close }: ActionFormProps) {
  const text = useShellTexts();
  const given = action.of === 'list' ? {} : inputFrom(row, operation);
  const [value, setValue] = useKept<FormValue>(`plugin-form ${action.operation}`, nothing);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useUnsaved(Object.keys(value).length > 0);
  const leave = () => {
    setValue(nothing);
    close();
  };
  const send = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await run({ ...given, ...value });
      leave();
    } catch (fault) {
      setError(fault);
      setBusy(false);
    }
  };
  const faults = faultsOf(error);
  return (
    <Dialog
      title={action.label}
      isOpen
      isFirm
      onClose={leave}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={leave}>{text.confirmCancel}</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {action.label}
          </Button>
        </>
      }
    >
      {error !== undefined && (
        <Note kind="danger" title={failureText(error).title}>
          {Object.keys(faults).length === 0 ? failureText(error).detail : undefined}
        </Note>
      )}
      <SchemaForm
        schema={schemaFor(action, given, operation)}
        value={value}
        onChange={setValue}
        faults={faults}
        secrets={operation.secrets ?? []}
      />
    </Dialog>
  );
}

/** For an action of the list all input is asked for; for one of a record only what is required and missing. */
function schemaFor(action: PanelAction, given: object, { input }: OperationData): JsonSchema {
  const schema = input as JsonSchema;
  if (action.of === 'list') return schema;
  const missing = missingFields(given, { input } as OperationData).map(({ name }) => name);
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => missing.includes(name)));
  return { ...schema, properties, required: missing };
}
