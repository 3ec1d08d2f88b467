import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import type { IconName } from '../icons.js';
import { IconButton } from './button.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { useGrowing } from './use-growing.js';
import { useWords } from './words.js';

export interface FieldLook {
  label: string;
  /** A sentence below the control. */
  help?: ReactNode;
  /** Fault of the value; replaces the help. */
  error?: ReactNode;
  /** Whether only screen readers get the label, because the place says it. */
  hidesLabel?: boolean | undefined;
}

/** Attributes that tie a control to its label, help and error. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  required: boolean | undefined;
}

export interface FieldProps extends FieldLook {
  /** Unless it is required, a field says that it is optional where `isOptional` is set. */
  required?: boolean | undefined;
  isOptional?: boolean | undefined;
  /** The control, given the attributes for it; or several controls, which become a group. */
  children: ReactNode | ((control: ControlProps) => ReactNode);
}

/** Shows a control with its label, help and error. */
export function Field({ label, help, error, hidesLabel, required, isOptional, children }: FieldProps) {
  const id = useId();
  const words = useWords();
  const below = error ?? help;
  const describedBy = below === undefined || below === null ? undefined : `${id}-below`;
  const control: ControlProps = { id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined, required };
  const isGroup = typeof children !== 'function';
  const text = (
    <>
      {label}
      {isOptional && <span className="kit-field-optional"> {words.optional}</span>}
    </>
  );
  const labelClass = classes('kit-label', hidesLabel && 'kit-hidden');
  return (
    <div className="kit-field" {...(isGroup && { role: 'group', 'aria-labelledby': `${id}-label`, 'aria-describedby': describedBy })}>
      {isGroup ? (
        <span id={`${id}-label`} className={labelClass}>
          {text}
        </span>
      ) : (
        <label htmlFor={id} className={labelClass}>
          {text}
        </label>
      )}
      {isGroup ? children : children(control)}
      {describedBy !== undefined && (
        <div id={describedBy} className={error ? 'kit-field-error' : 'kit-field-help'}>
          {below}
        </div>
      )}
    </div>
  );
}

/** Attributes of `<input>` pass through. */
export interface TextFieldProps extends FieldLook, Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'children'> {
  value: string;
  onChange: (value: string) => void;
  isOptional?: boolean | undefined;
  /** An icon within the field, at its start. */
  icon?: IconName | undefined;
  /** Buttons within the field, at its end. */
  end?: ReactNode;
}

/** Shows a field for one line of text. A password can be made visible; a search can be cleared. */
export function TextField(props: TextFieldProps) {
  const { label, help, error, hidesLabel, isOptional, value, onChange, icon, end, type, className, ...rest } = props;
  const [isShown, setShown] = useState(false);
  const isPassword = type === 'password';
  return (
    <Field {...{ label, help, error, hidesLabel, isOptional, required: rest.required }}>
      {(control) => (
        <div className={classes('kit-input', className)}>
          {icon && <Icon name={icon} />}
          <input
            {...rest}
            {...control}
            type={isPassword && isShown ? 'text' : (type ?? 'text')}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          {isPassword && <Shown isShown={isShown} onChange={setShown} />}
          {type === 'search' && value !== '' && <Clear onClick={() => onChange('')} />}
          {end}
        </div>
      )}
    </Field>
  );
}

function Shown({ isShown, onChange }: { isShown: boolean; onChange: (isShown: boolean) => void }) {
  const words = useWords();
  const label = isShown ? words.hidePassword : words.showPassword;
  return <IconButton isSmall icon={isShown ? 'hide' : 'show'} label={label} onClick={() => onChange(!isShown)} />;
}

function Clear({ onClick }: { onClick: () => void }) {
  const { clear } = useWords();
  return <IconButton isSmall icon="close" label={clear} onClick={onClick} />;
}

/** Attributes of `<textarea>` pass through. */
export interface TextAreaProps extends FieldLook, Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'children'> {
  value: string;
  onChange: (value: string) => void;
  isOptional?: boolean | undefined;
  /** Whether it becomes as tall as its text, up to its `max-height`. */
  grows?: boolean | undefined;
  /** Whether it holds code or JSON. */
  isCode?: boolean | undefined;
}

/** Shows a field for several lines of text. */
export function TextArea(props: TextAreaProps) {
  const { label, help, error, hidesLabel, isOptional, value, onChange, grows, isCode, className, ref, ...rest } = props;
  const growing = useGrowing(grows === true, ref);
  return (
    <Field {...{ label, help, error, hidesLabel, isOptional, required: rest.required }}>
      {(control) => (
        <textarea
          rows={grows ? 1 : 4}
          {...rest}
          {...control}
          ref={growing}
          className={classes('kit-textarea', grows && 'kit-textarea-grows', isCode && 'kit-textarea-code', className)}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
