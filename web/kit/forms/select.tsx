import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as RacSelect, SelectValue } from 'react-aria-components/Select';
import { classes } from '../components/classes.js';
import type { FieldLook } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { useWords } from '../components/words.js';
import type { IconName } from '../icons.js';
import { Below, validityOf } from './below.js';

export interface Option<Id extends string | number = string> {
  id: Id;
  label: string;
  /** A second line in the list. */
  detail?: string | undefined;
  icon?: IconName | undefined;
  /** Shown before the label, such as an avatar. */
  start?: ReactNode;
  disabled?: boolean | undefined;
}

export interface SelectProps<Id extends string | number> extends FieldLook {
  options: readonly Option<Id>[];
  value: Id | null;
  onChange: (value: Id) => void;
  placeholder?: string | undefined;
  disabled?: boolean | undefined;
  required?: boolean | undefined;
  name?: string | undefined;
}

/** Shows a choice of one among a few; for many there is the ComboBox. */
export function Select<Id extends string | number>(props: SelectProps<Id>) {
  const { label, help, error, hidesLabel, options, value, onChange, placeholder, disabled = false, required = false, name } = props;
  const words = useWords();
  return (
    <RacSelect
      className="kit-field"
      selectedKey={value}
      onSelectionChange={(key) => {
        if (key !== null) onChange(key as Id);
      }}
      placeholder={placeholder ?? words.choose}
      disabledKeys={options.filter((option) => option.disabled).map(({ id }) => id)}
      isDisabled={disabled}
      isRequired={required}
      {...validityOf(error)}
      {...(name !== undefined && { name })}
    >
      <Label className={classes('kit-label', hidesLabel && 'kit-hidden')}>{label}</Label>
      <Button className="kit-select">
        <SelectValue className="kit-select-value" />
        <Icon name="down" />
      </Button>
      <Below help={help} error={error} />
      <Popover className="kit-popover kit-options" offset={4}>
        <ListBox items={options}>{optionOf}</ListBox>
      </Popover>
    </RacSelect>
  );
}

/** Shows an option in the list of a Select or a ComboBox. */
export function optionOf({ id, label, detail, icon, start }: Option<string | number>) {
  return (
    <ListBoxItem id={id} textValue={label} className="kit-option">
      {start}
      {icon && <Icon name={icon} />}
      <span className="kit-menu-text">
        {label}
        {detail && <small>{detail}</small>}
      </span>
      <Icon name="check" />
    </ListBoxItem>
  );
}
