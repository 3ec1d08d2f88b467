import { useState } from 'react';
import { ComboBox, DateTimeField, DropZone, type FormValue, NumberField, RadioGroup, SchemaForm, Select } from '../kit/forms.js';
import { Checkbox, Section, Switch, TextArea, TextField } from '../kit/index.js';

const models = [
  { id: 'small', label: 'Small', detail: 'Quick and cheap' },
  { id: 'large', label: 'Large', detail: 'For hard work' },
];
const people = [
  { id: 1, label: 'Mara Lindqvist' },
  { id: 2, label: 'Tomás Ferreira' },
  { id: 3, label: '陈思远' },
];
const schema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', format: 'uri', description: 'Where the hook is sent.' },
    token: { type: 'string' },
    retries: { type: 'integer', minimum: 0, maximum: 10, default: 3 },
    level: { type: 'string', enum: ['info', 'error'] },
    active: { type: 'boolean', default: true },
    events: { type: 'array', items: { enum: ['created', 'deleted'] } },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    limits: { type: 'object', properties: { memory_mb: { type: 'integer' } } },
  },
} as const;

const themes = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
] as const;

/** Fields and forms. */
export function Forms() {
  const [value, setValue] = useState<FormValue>({ url: 'https://example.org/hook', headers: { 'X-Team': 'ops' } });
  return (
    <>
      <Section title="Fields">
        <div className="kit-form">
          <TextFields />
          <Choices />
          <Switches />
          <DropZone label="Files" onFiles={() => undefined} />
        </div>
      </Section>
      <Section title="A form made from a schema">
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          secrets={['token']}
          stored={['token']}
          faults={{ level: 'Choose one.' }}
        />
      </Section>
    </>
  );
}

function TextFields() {
  const [name, setName] = useState('Iris');
  const [secret, setSecret] = useState('correct horse');
  const text = { value: name, onChange: setName };
  return (
    <>
      <TextField label="Name" {...text} help="As colleagues see it." />
      <TextField label="Password" type="password" value={secret} onChange={setSecret} autoComplete="off" />
      <TextField label="Search" type="search" icon="search" {...text} hidesLabel />
      <TextField label="Username" {...text} error="Only letters, digits, dots and dashes." />
      <TextArea label="Instructions" {...text} grows isOptional />
    </>
  );
}

function Choices() {
  const [model, setModel] = useState('small');
  const [chosen, setChosen] = useState<number[]>([1]);
  const [one, setOne] = useState<number | null>(2);
  const [limit, setLimit] = useState<number | null>(1500);
  const [at, setAt] = useState<string | null>('2026-11-27T09:41:00.000Z');
  return (
    <>
      <Select label="Model" options={models} value={model} onChange={setModel} />
      <ComboBox label="Owner" options={people} value={one} onChange={setOne} />
      <ComboBox label="Members" multi options={people} value={chosen} onChange={setChosen} />
      <NumberField label="Tokens a day" value={limit} onChange={setLimit} min={0} help="0 means no limit." />
      <RadioGroup label="Answers" options={models} value={model} onChange={setModel} />
      <DateTimeField label="Muted until" value={at} onChange={setAt} />
    </>
  );
}

function Switches() {
  const [theme, setTheme] = useState<'system' | 'light' | 'dark'>('system');
  const [isOn, setOn] = useState(true);
  return (
    <>
      <RadioGroup label="Theme" isRow options={themes} value={theme} onChange={setTheme} />
      <Checkbox label="Mentions only" checked={isOn} onChange={setOn} help="Other messages stay quiet." />
      <Switch label="Active" checked={isOn} onChange={setOn} />
    </>
  );
}
