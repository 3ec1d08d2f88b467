import { useState } from 'react';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import { Switch } from '../components/choice.js';
import { TextArea, TextField } from '../components/field.js';
import { useWords } from '../components/words.js';
import { DateTimeField } from './date-time-field.js';
import { NumberField } from './number-field.js';
import { kindOf, type Labels, labelFor, ownEntry, simplified, variantOf } from './schema-kind.js';
import { ChoicesField, JsonField, LinesField, PairsField } from './schema-parts.js';
import { Select } from './select.js';

export type FormValue = Readonly<Record<string, unknown>>;

export interface SchemaFormProps {
  /** Schema of an object. */
  schema: JsonSchema;
  value: FormValue;
  onChange: (value: FormValue) => void;
  /** Faults by path: `limits.memory_mb`. */
  faults?: Readonly<Record<string, string>> | undefined;
  /** Paths of secrets: they are never shown, and empty means unchanged where one is stored. */
  secrets?: readonly string[] | undefined;
  /** Paths of secrets that are stored. */
  stored?: readonly string[] | undefined;
  /** Labels and helps by path, instead of the schema's own titles and descriptions. */
  labels?: Labels | undefined;
  /** Paths that are not shown. */
  hidden?: readonly string[] | undefined;
  disabled?: boolean | undefined;
}

/** Shows a form made from a JSON schema. What no field fits is entered as JSON. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, disabled } = props;
  const words = useWords();
  const isTooLarge = countFields(schema) > max_fields;
  return (
    <div className="kit-form">
      {isTooLarge ? (
        <JsonField label={words.entryValue} value={value} onChange={(next) => onChange(isObject(next) ? next : {})} disabled={disabled} />
      ) : (
        <Properties {...props} path="" />
      )}
    </div>
  );
}

/** A schema with more fields is entered as JSON: its author may be a stranger, and drawing them would hold the page. */
const max_fields = 300;

function countFields({ properties = {} }: JsonSchema): number {
  return Object.values(properties).reduce((sum, property) => sum + (kindOf(property) === 'object' ? countFields(property) : 1), 0);
}

interface Placed extends SchemaFormProps {
  /** Path of the object, with a dot at its end; empty for the whole. */
  path: string;
}

function Properties({ schema, value, onChange, ...rest }: Placed) {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !rest.hidden?.includes(rest.path + name))
    .map(([name, property]) => (
      <Property
        {...rest}
        key={name}
        name={name}
        schema={property}
        isRequired={schema.required?.includes(name) === true}
        value={ownEntry(value, name)}
        onChange={(next) => onChange(withEntry(value, name, next))}
      />
    ));
}

interface PropertyProps extends Omit<Placed, 'value' | 'onChange'> {
  name: string;
  isRequired: boolean;
  value: unknown;
  /** `undefined` takes the entry away: the default applies. */
  onChange: (value: unknown) => void;
}

function Property({ name, schema: given, isRequired, value, onChange, ...rest }: PropertyProps) {
  const schema = simplified(given);
  const path = rest.path + name;
  const words = useWords();
  const isStored = rest.stored?.includes(path) === true;
  const { label, help } = labelFor({ name, path, schema, labels: rest.labels });
  const isSecret = rest.secrets?.includes(path) === true;
  const common = {
    label,
    help: isStored ? words.secretKept : help,
    error: ownEntry(rest.faults, path),
    disabled: rest.disabled,
    required: isRequired && !isStored,
  };
  const kind = isSecret ? 'secret' : kindOf(schema);
  if (kind === 'object') {
    return (
      <fieldset className="kit-form-group">
        <legend>{label}</legend>
        {help !== undefined && <p className="kit-field-help">{help}</p>}
        <Properties {...rest} schema={schema} path={`${path}.`} value={isObject(value) ? value : {}} onChange={onChange} />
      </fieldset>
    );
  }
  if (kind === 'variants') return <Variants {...{ ...rest, name, schema, isRequired, value, onChange, label, help }} />;
  return <Control {...{ kind, schema, value, onChange, common, isRequired }} />;
}

/** Asks which kind of value is meant, then for the value. Another kind begins empty. */
function Variants({ label, help, schema, value, onChange, ...rest }: PropertyProps & { label: string; help: string | undefined }) {
  const words = useWords();
  const variants = schema.anyOf ?? [];
  const [place, setPlace] = useState(() => variantOf(variants, value));
  const names = variants.map((each) => each.title ?? words.kinds[kindOf(each)]);
  const options = names.map((each, at) => ({
    id: String(at),
    label: names.indexOf(each) === names.lastIndexOf(each) ? each : `${each} ${at + 1}`,
  }));
  const choose = (id: string) => {
    setPlace(Number(id));
    onChange(undefined);
  };
  return (
    <fieldset className="kit-form-group">
      <legend>{label}</legend>
      {help !== undefined && <p className="kit-field-help">{help}</p>}
      <Select label={words.kindOfValue} options={options} value={String(place)} onChange={choose} disabled={rest.disabled} />
      <Property {...rest} key={place} schema={{ title: words.value, ...variants[place] }} value={value} onChange={onChange} />
    </fieldset>
  );
}

interface ControlProps {
  kind: Exclude<ReturnType<typeof kindOf>, 'object' | 'variants'> | 'secret';
  schema: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
  isRequired: boolean;
  common: { label: string; help: string | undefined; error: string | undefined; disabled: boolean | undefined; required: boolean };
}

function Control({ kind, schema, value, onChange, common, isRequired }: ControlProps) {
  const text = typeof value === 'string' ? value : '';
  const emptied = (next: string) => onChange(next === '' ? undefined : next);
  const placeholder = schema.default === undefined ? undefined : String(schema.default);
  switch (kind) {
    case 'secret':
      return <TextField {...common} type="password" autoComplete="new-password" value={text} onChange={emptied} />;
    case 'switch':
      return <Switch {...common} checked={(value ?? schema.default) === true} onChange={onChange} />;
    case 'choice':
      return <Choice {...{ schema, value, onChange, common, isRequired }} />;
    case 'number': {
      const number = typeof value === 'number' ? value : null;
      const { minimum: min, maximum: max } = schema;
      const step = schema.type === 'integer' ? 1 : schema.multipleOf;
      return (
        <NumberField {...{ ...common, min, max, step, placeholder }} value={number} onChange={(next) => onChange(next ?? undefined)} />
      );
    }
    case 'moment':
      return <DateTimeField {...common} value={text || null} onChange={(next) => onChange(next ?? undefined)} />;
    case 'long-text':
      return <TextArea {...common} value={text} onChange={emptied} maxLength={schema.maxLength} placeholder={placeholder} />;
    case 'text':
      return (
        <TextField
          {...common}
          type={inputType(schema)}
          value={text}
          onChange={emptied}
          maxLength={schema.maxLength}
          placeholder={placeholder}
        />
      );
    case 'choices':
      return <ChoicesField {...common} options={schema.items?.enum ?? []} value={value} onChange={onChange} />;
    case 'lines':
      return <LinesField {...common} value={value} onChange={onChange} isNumeric={schema.items?.type !== 'string'} />;
    case 'pairs':
      return <PairsField {...common} value={value} onChange={onChange} />;
    case 'json':
      return <JsonField {...common} value={value} onChange={onChange} />;
  }
}

function Choice({ schema, value, onChange, common, isRequired }: Omit<ControlProps, 'kind'>) {
  const values: readonly unknown[] = (schema.enum ?? []).filter((each) => each !== null);
  const options = values.map((each, place) => ({ id: String(place), label: String(each) }));
  const chosen = values.indexOf(value ?? schema.default);
  const none = { id: '', label: '–' };
  return (
    <Select
      {...common}
      options={isRequired || schema.default !== undefined ? options : [none, ...options]}
      value={chosen === -1 ? null : String(chosen)}
      onChange={(id) => onChange(id === '' ? undefined : values[Number(id)])}
    />
  );
}

function isObject(value: unknown): value is FormValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inputType({ format }: JsonSchema): 'url' | 'email' | 'text' {
  return format === 'uri' ? 'url' : format === 'email' ? 'email' : 'text';
}

/** Returns the value with an entry changed, or without it. Its name may be `__proto__`, which an assignment would not store. */
function withEntry(value: FormValue, name: string, next: unknown): FormValue {
  const others = Object.entries(value).filter(([each]) => each !== name);
  return Object.fromEntries(next === undefined ? others : [...others, [name, next]]);
}
