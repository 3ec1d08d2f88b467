import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { NumberField as RacNumberField } from 'react-aria-components/NumberField';
import { classes } from '../components/classes.js';
import type { FieldLook } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Below, validityOf } from './below.js';

export interface NumberFieldProps extends FieldLook {
  /** `null`: nothing is entered. */
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number | undefined;
  max?: number | undefined;
  /** Default 1; also how fine a value may be. */
  step?: number | undefined;
  /** How the number is written, such as a unit. */
  format?: Intl.NumberFormatOptions | undefined;
  placeholder?: string | undefined;
  disabled?: boolean | undefined;
  required?: boolean | undefined;
}

/** Shows a field for a number, written as the member's language writes it. */
export function NumberField(props: NumberFieldProps) {
  const {
    label,
    help,
    error,
    hidesLabel,
    value,
    onChange,
    min,
    max,
    step,
    format,
    placeholder,
    disabled = false,
    required = false,
  } = props;
  return (
    <RacNumberField
      className="kit-field"
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      isDisabled={disabled}
      isRequired={required}
      {...validityOf(error)}
      {...(min !== undefined && { minValue: min })}
      {...(max !== undefined && { maxValue: max })}
      {...(step !== undefined && { step })}
      formatOptions={{ maximumFractionDigits: 10, ...format }}
    >
      <Label className={classes('kit-label', hidesLabel && 'kit-hidden')}>{label}</Label>
      <Group className="kit-input kit-number">
        <Input {...(placeholder !== undefined && { placeholder })} />
        <Button slot="decrement" className="kit-number-step">
          <Icon name="down" size={14} />
        </Button>
        <Button slot="increment" className="kit-number-step">
          <Icon name="up" size={14} />
        </Button>
      </Group>
      <Below help={help} error={error} />
    </RacNumberField>
  );
}
