import { Field, type FieldLook } from '../components/field.js';

export interface DateTimeFieldProps extends FieldLook {
  /** ISO 8601 in UTC, or null. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** Whether only the day matters: the value is then `YYYY-MM-DD`. */
  isDate?: boolean | undefined;
  min?: string | undefined;
  max?: string | undefined;
  required?: boolean | undefined;
  disabled?: boolean | undefined;
}

/** Shows the browser's own field for a date, or for a date and a time in the browser's zone. */
export function DateTimeField(props: DateTimeFieldProps) {
  const { label, help, error, hidesLabel, value, onChange, isDate, min, max, required, disabled } = props;
  const written = (iso: string | null | undefined) => (iso ? (isDate ? iso.slice(0, 10) : localText(iso)) : undefined);
  const read = (text: string) => (text === '' ? null : isDate ? text : new Date(text).toISOString());
  return (
    <Field {...{ label, help, error, hidesLabel, required }}>
      {(control) => (
        <div className="kit-input">
          <input
            {...control}
            type={isDate ? 'date' : 'datetime-local'}
            value={written(value) ?? ''}
            min={written(min)}
            max={written(max)}
            disabled={disabled}
            onChange={(event) => onChange(read(event.target.value))}
          />
        </div>
      )}
    </Field>
  );
}

/** Returns a moment as the browser's field writes it: local time without a zone, to the minute. */
function localText(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
