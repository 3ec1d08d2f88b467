import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../components/button.js';
import { Checkbox } from '../components/choice.js';
import { Field, TextArea } from '../components/field.js';
import { useWords } from '../components/words.js';

interface PartProps {
  label: string;
  help?: ReactNode;
  error?: ReactNode;
  disabled?: boolean | undefined;
  required?: boolean | undefined;
  value: unknown;
  /** `undefined` if nothing is left. */
  onChange: (value: unknown) => void;
}

/** Shows a box to tick for each value that a list may have. */
export function ChoicesField({ options, value, onChange, disabled, ...look }: PartProps & { options: readonly unknown[] }) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const toggle = (option: unknown, isChosen: boolean) => {
    const next = options.filter((each) => (each === option ? isChosen : chosen.includes(each)));
    onChange(next.length === 0 ? undefined : next);
  };
  return (
    <Field {...look}>
      <div className="kit-choices">
        {options.map((option) => (
          <Checkbox
            key={String(option)}
            label={String(option)}
            checked={chosen.includes(option)}
            disabled={disabled}
            onChange={(isChosen) => toggle(option, isChosen)}
          />
        ))}
      </div>
    </Field>
  );
}

/** Shows a list of texts or numbers, one per line. */
export function LinesField({ value, onChange, isNumeric, help, ...look }: PartProps & { isNumeric: boolean }) {
  const words = useWords();
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  const [text, setText] = useState(given.join('\n'));
  const change = (next: string) => {
    setText(next);
    const lines = next
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    onChange(lines.length === 0 ? undefined : isNumeric ? lines.map(Number) : lines);
  };
  return <TextArea {...look} help={help ?? words.onePerLine} grows rows={2} value={text} onChange={change} />;
}

interface Pair {
  /** Tells rows apart while their names are typed. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

function pair(name: string, text: string): Pair {
  return { id: crypto.randomUUID(), name, text };
}

/** Shows names and values, a row each. */
export function PairsField({ value, onChange, disabled, ...look }: PartProps) {
  const words = useWords();
  const [rows, setRows] = useState<readonly Pair[]>(() =>
    Object.entries((value ?? {}) as Record<string, string>).map(([name, text]) => pair(name, text)),
  );
  const change = (next: readonly Pair[]) => {
    setRows(next);
    const named = next.filter(({ name }) => name !== '');
    onChange(named.length === 0 ? undefined : Object.fromEntries(named.map(({ name, text }) => [name, text])));
  };
  const replace = (row: Pair, part: Partial<Pair>) => change(rows.map((each) => (each === row ? { ...row, ...part } : each)));
  return (
    <Field {...look}>
      <div className="kit-pairs">
        {rows.map((row) => (
          <div key={row.id} className="kit-pair">
            <input
              aria-label={words.entryName}
              value={row.name}
              disabled={disabled}
              onChange={({ target }) => replace(row, { name: target.value })}
            />
            <input
              aria-label={words.entryValue}
              value={row.text}
              disabled={disabled}
              onChange={({ target }) => replace(row, { text: target.value })}
            />
            <IconButton
              icon="close"
              label={words.remove(row.name)}
              disabled={disabled}
              onClick={() => change(rows.filter((each) => each !== row))}
            />
          </div>
        ))}
        <div>
          <Button isSmall kind="quiet" icon="add" disabled={disabled} onClick={() => change([...rows, pair('', '')])}>
            {words.addEntry}
          </Button>
        </div>
      </div>
    </Field>
  );
}

/** Shows a value as JSON. What is no JSON yet is kept as typed and not passed on. */
export function JsonField({ value, onChange, error, ...look }: PartProps) {
  const words = useWords();
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, undefined, 2));
  const [isInvalid, setInvalid] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setInvalid(false);
    } catch {
      setInvalid(true);
    }
  };
  return (
    <TextArea
      {...look}
      error={isInvalid ? words.invalidJson : error}
      isCode
      grows
      rows={3}
      spellCheck={false}
      value={text}
      onChange={change}
    />
  );
}
