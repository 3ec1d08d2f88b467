import { type CSSProperties, use, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { ComboBoxStateContext, ComboBox as RacComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { classes } from '../components/classes.js';
import type { FieldLook } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { useWords } from '../components/words.js';
import { Below, validityOf } from './below.js';
import { type Option, optionOf } from './select.js';

interface ComboBoxBase<Id extends string | number> extends FieldLook {
  options: readonly Option<Id>[];
  /** Called with what is typed, where the options come from the server; the options are then shown as they are. */
  onSearch?: ((text: string) => void) | undefined;
  placeholder?: string | undefined;
  disabled?: boolean | undefined;
  required?: boolean | undefined;
}

export interface OneComboBoxProps<Id extends string | number> extends ComboBoxBase<Id> {
  multi?: false | undefined;
  value: Id | null;
  onChange: (value: Id | null) => void;
}

export interface ManyComboBoxProps<Id extends string | number> extends ComboBoxBase<Id> {
  multi: true;
  value: readonly Id[];
  onChange: (value: Id[]) => void;
}

export type ComboBoxProps<Id extends string | number> = OneComboBoxProps<Id> | ManyComboBoxProps<Id>;

/** Shows a field that finds one, or with `multi` several, of many options by typing. */
export function ComboBox<Id extends string | number>(props: ComboBoxProps<Id>) {
  return props.multi ? <Many {...props} /> : <One {...props} />;
}

function One<Id extends string | number>({ value, onChange, ...props }: OneComboBoxProps<Id>) {
  return (
    <RacComboBox
      {...commonOf(props)}
      selectedKey={value}
      onSelectionChange={(key) => onChange(key as Id | null)}
      {...(props.onSearch && { onInputChange: props.onSearch })}
    >
      <Parts {...props} />
    </RacComboBox>
  );
}

/** After a choice the field is empty again: the chosen ones stand before it. */
function Many<Id extends string | number>({ value, onChange, ...props }: ManyComboBoxProps<Id>) {
  const [text, setText] = useState('');
  const [known, setKnown] = useState<ReadonlyMap<Id, Option<Id>>>(new Map());
  const search = (next: string) => {
    setText(next);
    props.onSearch?.(next);
  };
  const add = (id: Id | null) => {
    const option = props.options.find((each) => each.id === id);
    if (option === undefined) return;
    setKnown(new Map(known).set(option.id, option));
    onChange([...value, option.id]);
    search('');
  };
  const labelOf = (id: Id) => (props.options.find((option) => option.id === id) ?? known.get(id))?.label ?? String(id);
  const left = props.options.filter(({ id }) => !value.includes(id));
  return (
    <RacComboBox
      {...commonOf({ ...props, options: left })}
      selectedKey={null}
      onSelectionChange={(key) => add(key as Id | null)}
      inputValue={text}
      onInputChange={search}
    >
      <Parts
        {...props}
        chosen={value.map((id) => <Chosen key={id} label={labelOf(id)} onRemove={() => onChange(value.filter((each) => each !== id))} />)}
        onBack={() => {
          if (text === '') onChange(value.slice(0, -1));
        }}
      />
    </RacComboBox>
  );
}

function commonOf<Id extends string | number>(props: ComboBoxBase<Id>) {
  const { options, disabled = false, required = false, error, onSearch } = props;
  return {
    className: 'kit-field',
    isDisabled: disabled,
    isRequired: required,
    ...validityOf(error),
    allowsEmptyCollection: true,
    disabledKeys: options.filter((option) => option.disabled).map(({ id }) => id),
    ...(onSearch ? { items: options } : { defaultItems: options }),
  };
}

interface PartsProps extends FieldLook {
  placeholder?: string | undefined;
  chosen?: React.ReactNode[];
  /** Called for the Backspace key. */
  onBack?: () => void;
}

function Parts({ label, help, error, hidesLabel, placeholder, chosen, onBack }: PartsProps) {
  const words = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const state = use(ComboBoxStateContext);
  return (
    <>
      <Label className={classes('kit-label', hidesLabel && 'kit-hidden')}>{label}</Label>
      <div ref={frame} className="kit-input kit-combo">
        {chosen}
        <Input
          placeholder={placeholder ?? words.search}
          // Not on focus: who moves through a form by Tab would open each list.
          onClick={() => state?.open(null, 'manual')}
          onKeyDown={(event) => {
            if (event.key === 'Backspace') onBack?.();
          }}
        />
        <Button className="kit-button kit-button-quiet kit-button-icon kit-button-small" aria-label={words.listOpen}>
          <Icon name="down" />
        </Button>
      </div>
      <Below help={help} error={error} />
      <Popover className="kit-popover kit-options" offset={4} triggerRef={frame} style={ownWidth}>
        <ListBox renderEmptyState={() => <p className="kit-options-empty">{words.nothingFound}</p>}>{optionOf}</ListBox>
      </Popover>
    </>
  );
}

/** The list is as wide as the frame, not as the input within it. */
const ownWidth = { '--trigger-width': undefined } as CSSProperties;

function Chosen({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { remove } = useWords();
  return (
    <span className="kit-chosen">
      {label}
      <button type="button" aria-label={remove(label)} onClick={onRemove}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}
