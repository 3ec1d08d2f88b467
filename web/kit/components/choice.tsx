import { type ReactNode, useId } from 'react';
import { classes } from './classes.js';

export interface ChoiceProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** A sentence below the label. */
  help?: ReactNode;
  error?: ReactNode;
  disabled?: boolean | undefined;
  name?: string | undefined;
}

/** Shows a box to tick: one of several, or consent; it counts when the form is sent. */
export function Checkbox(props: ChoiceProps) {
  return <Choice {...props} isSwitch={false} />;
}

/** Shows a switch: it takes effect at once. */
export function Switch(props: ChoiceProps) {
  return <Choice {...props} isSwitch />;
}

function Choice({ label, checked, onChange, help, error, disabled, name, isSwitch }: ChoiceProps & { isSwitch: boolean }) {
  const id = useId();
  const below = error ?? help;
  return (
    <div className={classes('kit-choice', isSwitch && 'kit-choice-switch')}>
      <input
        id={id}
        type="checkbox"
        role={isSwitch ? 'switch' : undefined}
        name={name}
        checked={checked}
        disabled={disabled}
        aria-describedby={below === undefined || below === null ? undefined : `${id}-below`}
        aria-invalid={error ? true : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div className="kit-choice-text">
        <label htmlFor={id}>{label}</label>
        {below !== undefined && below !== null && (
          <div id={`${id}-below`} className={error ? 'kit-field-error' : 'kit-field-help'}>
            {below}
          </div>
        )}
      </div>
    </div>
  );
}
