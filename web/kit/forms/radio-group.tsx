import type { ReactNode } from 'react';
import { Label } from 'react-aria-components/Label';
import { RadioGroup as RacRadioGroup, Radio } from 'react-aria-components/RadioGroup';
import { classes } from '../components/classes.js';
import type { FieldLook } from '../components/field.js';
import { Below, validityOf } from './below.js';

export interface RadioOption<Id extends string> {
  id: Id;
  label: string;
  help?: ReactNode;
  disabled?: boolean | undefined;
}

export interface RadioGroupProps<Id extends string> extends FieldLook {
  options: readonly RadioOption<Id>[];
  value: Id | null;
  onChange: (value: Id) => void;
  /** Whether the choices stand in one row of short words, as the theme's. */
  isRow?: boolean | undefined;
  disabled?: boolean | undefined;
}

/** Shows a choice of one among a few that are all in sight. */
export function RadioGroup<Id extends string>(props: RadioGroupProps<Id>) {
  const { label, help, error, hidesLabel, options, value, onChange, isRow, disabled = false } = props;
  return (
    <RacRadioGroup
      className={classes('kit-field', isRow && 'kit-radio-row')}
      value={value}
      onChange={(next) => onChange(next as Id)}
      isDisabled={disabled}
      {...validityOf(error)}
      orientation={isRow ? 'horizontal' : 'vertical'}
    >
      <Label className={classes('kit-label', hidesLabel && 'kit-hidden')}>{label}</Label>
      <div className="kit-radios">
        {options.map((option) => (
          <Radio key={option.id} value={option.id} isDisabled={option.disabled ?? false} className="kit-radio">
            <span className="kit-radio-dot" />
            <span className="kit-choice-text">
              <span>{option.label}</span>
              {option.help !== undefined && <span className="kit-field-help">{option.help}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <Below help={help} error={error} />
    </RacRadioGroup>
  );
}
