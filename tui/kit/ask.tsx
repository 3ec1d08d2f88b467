import { Box } from 'ink';
import { useEffect, useState } from 'react';
import { commonBeginning } from '../../kernel/client/mention-completion.js';
import { cut, fit, oneLine, widthOf, wrapped } from './cells.js';
import { Depth, useDepth, useFocus, useSpace } from './context.js';
import { Text } from './text.js';
import { charactersOf, typed } from './typed.js';
import { useTyping } from './use-keys.js';

export interface AskField {
  /** Key of its value. */
  name: string;
  label: string;
  /** Initial value. */
  value?: string | undefined;
  /** Masks the value. */
  secret?: boolean | undefined;
  /** Allowed values; the left and right keys choose one. */
  choices?: readonly string[] | undefined;
  /** Returns what a value may become when tab is pressed. Default: tab goes to the next field. */
  complete?: ((value: string) => Promise<readonly string[]>) | undefined;
}

export interface AskProps {
  title: string;
  fields: readonly AskField[];
  /** Faults of the values sent last, by field name; each is shown below its field. */
  faults?: Readonly<Record<string, string>> | undefined;
  /** Called with the values by name, or undefined if the form was cancelled. */
  onDone: (values: Readonly<Record<string, string>> | undefined) => void;
}

const none: NonNullable<AskProps['faults']> = {};

/**
 * Shows a small form, a line for each field; enter goes to the next field and sends from the last, esc cancels. Like {@link useLine} it
 * takes keys from the dashboard's key handler, which the inputs of @inkjs/ui would bypass.
 */
export function Ask(props: AskProps) {
  return (
    <Depth value={useDepth() + 1}>
      <Form {...props} />
    </Depth>
  );
}

function Form({ title, fields, faults = none, onDone }: AskProps) {
  const { columns } = useSpace();
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map(({ name, value, choices }) => [name, value ?? choices?.[0] ?? ''])),
  );
  const [at, setAt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each response, wherever the person moves afterwards
  useEffect(() => {
    const first = fields.findIndex(({ name }) => Object.hasOwn(faults, name));
    if (first !== -1) setAt(first);
  }, [faults]);
  const field = fields[at];
  const change = (changed: (value: string) => string) =>
    field && setValues((before) => ({ ...before, [field.name]: changed(before[field.name] ?? '') }));
  const [offered, setOffered] = useState<readonly string[]>([]);
  const complete = async ({ complete: find }: AskField) => {
    const value = values[field?.name ?? ''] ?? '';
    const found = (await find?.(value)) ?? [];
    const common = commonBeginning(found);
    if (common.length > value.length) change((now) => (now === value ? common : now));
    setOffered(found.length > 1 ? found : []);
  };
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (key === 'tab' && field?.complete) {
      void complete(field).catch(() => undefined);
      return true;
    }
    setOffered([]);
    if (key === 'esc') onDone(undefined);
    else if (key === 'enter' && at === fields.length - 1) onDone(values);
    else if (key === 'enter' || key === 'tab' || key === 'down') setAt((before) => Math.min(before + 1, fields.length - 1));
    else if (key === 'up' || key === 'shift-tab') setAt((before) => Math.max(before - 1, 0));
    else change((value) => edited(value, key, field?.choices));
    return true;
  };
  useTyping(type, useFocus(), [
    { key: 'enter', label: at === fields.length - 1 ? 'send' : 'next', run: () => undefined },
    { key: 'esc', label: 'cancel', run: () => undefined },
  ]);
  const label_columns = Math.max(...fields.map(({ label }) => widthOf(label)));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text kind="strong">{title}</Text>
      {fields.map((each, index) => (
        <Box key={each.name} flexDirection="column" flexShrink={0}>
          <Text chosen={index === at}>
            {`${index === at ? '>' : ' '} ${fit(each.label, label_columns)}  ${displayedValue(each, values[each.name] ?? '', columns - label_columns - 5)}${index === at ? '_' : ''}`}
          </Text>
          <FaultLines of={faults[each.name]} />
          {index === at && offered.length > 0 && <Text kind="dim">{cut(`    ${offered.map(oneLine).join('  ')}`, columns)}</Text>}
        </Box>
      ))}
    </Box>
  );
}

const max_fault_lines = 3;
const fault_indent = 4;

function FaultLines({ of: fault }: { of: string | undefined }) {
  const { columns } = useSpace();
  const lines = fault === undefined ? [] : wrapped(oneLine(fault), columns - fault_indent).slice(0, max_fault_lines);
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
    <Text key={index} kind="bad">
      {' '.repeat(fault_indent) + line}
    </Text>
  ));
}

/** Applies a key to a value. */
function edited(value: string, key: string, choices: readonly string[] | undefined): string {
  if (choices) return stepChoice(value, key, choices);
  return typed(value, key) ?? value;
}

function stepChoice(value: string, key: string, choices: readonly string[]): string {
  const step = key === 'right' || key === ' ' ? 1 : key === 'left' ? -1 : 0;
  const at = Math.max(0, choices.indexOf(value));
  return choices[(at + step + choices.length) % choices.length] ?? value;
}

/** Returns the displayed value; of a long one the end, where the person types. */
function displayedValue({ secret, choices }: AskField, value: string, columns: number): string {
  if (choices) return cut(`< ${oneLine(value)} >`, columns);
  const text = secret ? '*'.repeat(charactersOf(value).length) : oneLine(value);
  if (widthOf(text) <= columns) return text;
  const characters = charactersOf(text);
  let visible = '';
  while (characters.length > 0 && widthOf((characters.at(-1) ?? '') + visible) < columns) visible = characters.pop() + visible;
  return `…${visible}`;
}
