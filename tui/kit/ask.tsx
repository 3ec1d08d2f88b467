import { Box } from 'ink';
import { useEffect, useState } from 'react';
import { cut, fit, oneLine, widthOf, wrapped } from './cells.js';
import { Depth, useDepth, useFocus, useSpace } from './context.js';
import { Text } from './text.js';
import { charactersOf, typed } from './typed.js';
import { useTyping } from './use-keys.js';

export interface AskField {
  /** The key of its value. */
  name: string;
  label: string;
  /** What stands there at first. */
  value?: string | undefined;
  /** It is not shown. */
  secret?: boolean | undefined;
  /** What it may be: the left and right keys choose. */
  choices?: readonly string[] | undefined;
}

export interface AskProps {
  title: string;
  fields: readonly AskField[];
  /** What is wrong with the values that were sent last, by the names of their fields: stands below each. */
  faults?: Readonly<Record<string, string>> | undefined;
  /** Gets the values by name, or undefined where it was given up. */
  onDone: (values: Readonly<Record<string, string>> | undefined) => void;
}

const none: NonNullable<AskProps['faults']> = {};

/**
 * A small form: a line for each field; enter goes on and sends from the last, esc gives it up. Like {@link useLine} it takes its keys from the
 * dashboard's one key handler, which the inputs of @inkjs/ui go past.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each answer, wherever one goes then
  useEffect(() => {
    const first = fields.findIndex(({ name }) => Object.hasOwn(faults, name));
    if (first !== -1) setAt(first);
  }, [faults]);
  const field = fields[at];
  const change = (changed: (value: string) => string) =>
    field && setValues((before) => ({ ...before, [field.name]: changed(before[field.name] ?? '') }));
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (key === 'esc') onDone(undefined);
    else if (key === 'enter' && at === fields.length - 1) onDone(values);
    else if (key === 'enter' || key === 'tab' || key === 'down') setAt((before) => Math.min(before + 1, fields.length - 1));
    else if (key === 'up' || key === 'shift-tab') setAt((before) => Math.max(before - 1, 0));
    else change((value) => edited(value, key, field?.choices));
    return true;
  };
  useTyping(type, useFocus(), [
    { key: 'enter', label: at === fields.length - 1 ? 'send' : 'next', run: () => undefined },
    { key: 'esc', label: 'give up', run: () => undefined },
  ]);
  const label_columns = Math.max(...fields.map(({ label }) => widthOf(label)));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text kind="strong">{title}</Text>
      {fields.map((each, index) => (
        <Box key={each.name} flexDirection="column" flexShrink={0}>
          <Text chosen={index === at}>
            {`${index === at ? '>' : ' '} ${fit(each.label, label_columns)}  ${shownOf(each, values[each.name] ?? '', columns - label_columns - 5)}${index === at ? '_' : ''}`}
          </Text>
          <FaultLines of={faults[each.name]} />
        </Box>
      ))}
    </Box>
  );
}

const max_fault_lines = 3;
const indented = 4;

function FaultLines({ of: fault }: { of: string | undefined }) {
  const { columns } = useSpace();
  const lines = fault === undefined ? [] : wrapped(oneLine(fault), columns - indented).slice(0, max_fault_lines);
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
    <Text key={index} kind="bad">
      {' '.repeat(indented) + line}
    </Text>
  ));
}

/** A value after a key. */
function edited(value: string, key: string, choices: readonly string[] | undefined): string {
  if (choices) return chosen(value, key, choices);
  return typed(value, key) ?? value;
}

function chosen(value: string, key: string, choices: readonly string[]): string {
  const step = key === 'right' || key === ' ' ? 1 : key === 'left' ? -1 : 0;
  const at = Math.max(0, choices.indexOf(value));
  return choices[(at + step + choices.length) % choices.length] ?? value;
}

/** The end of a value that is longer than its place: there one types. */
function shownOf({ secret, choices }: AskField, value: string, columns: number): string {
  if (choices) return cut(`< ${oneLine(value)} >`, columns);
  const text = secret ? '*'.repeat(charactersOf(value).length) : oneLine(value);
  if (widthOf(text) <= columns) return text;
  const characters = charactersOf(text);
  let kept = '';
  while (characters.length > 0 && widthOf((characters.at(-1) ?? '') + kept) < columns) kept = characters.pop() + kept;
  return `…${kept}`;
}
