import { Button, failureText, Note, TextField, useFormat, useTexts } from '@platform/kit';
import { ComboBox, NumberField } from '@platform/kit/forms';
import { useState } from 'react';
import type { ModelEndpoint, ModelPrice, ModelTestReport, NewModelEndpoint } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** A model that is being written. The key is empty unless a new one is typed. */
export interface ModelDraft {
  /** Tells drafts apart; never sent. */
  id: string;
  base_url: string;
  model: string;
  api_key: string;
  has_api_key: boolean;
  max_tokens: number;
  price: ModelPrice | null;
  features: ModelEndpoint['features'];
}

export function modelDraftOf(stored: ModelEndpoint | undefined, id = ''): ModelDraft {
  const { base_url = '', model = '', has_api_key = false, max_tokens = 0, price = null, features = {} } = stored ?? {};
  return { id, base_url, model, api_key: '', has_api_key, max_tokens, price, features };
}

export function modelInputOf({ id: _id, api_key, has_api_key: _has, ...rest }: ModelDraft): NewModelEndpoint {
  return { ...rest, ...(api_key !== '' && { api_key }) };
}

interface ModelFormProps {
  member_id: number;
  value: ModelDraft;
  onChange: (value: ModelDraft) => void;
  faults: Readonly<Record<string, string>>;
  /** Path of the model in the faults. */
  path: string;
}

/** Asks for a model, tests it, and offers the models that its server lists. */
export function ModelForm({ member_id, value, onChange, faults, path }: ModelFormProps) {
  const text = useTexts(catalogue);
  const test = api.useWrite('agents.test_model');
  const [report, setReport] = useState<ModelTestReport>();
  const set = (change: Partial<ModelDraft>) => onChange({ ...value, ...change });
  const listed = report?.models ?? [];
  // A name that the server doesn't list may still work, and must not seem to be lost.
  const names = listed.length === 0 || value.model === '' || listed.includes(value.model) ? listed : [value.model, ...listed];
  return (
    <div className="agents-form">
      <TextField
        label={text.address}
        help={text.addressHelp}
        placeholder="https://api.example.org/v1"
        type="url"
        value={value.base_url}
        error={faults[`${path}.base_url`]}
        onChange={(base_url) => set({ base_url })}
        spellCheck={false}
      />
      <TextField
        label={text.key}
        help={value.has_api_key ? text.keySet : text.keyHelp}
        type="password"
        autoComplete="off"
        value={value.api_key}
        error={faults[`${path}.api_key`]}
        onChange={(api_key) => set({ api_key })}
      />
      {names.length > 0 ? (
        <ComboBox
          label={text.modelName}
          options={names.map((id) => ({ id, label: id }))}
          value={value.model === '' ? null : value.model}
          onChange={(model) => set({ model: model ?? '' })}
        />
      ) : (
        <TextField
          label={text.modelName}
          help={text.modelNameHelp}
          value={value.model}
          error={faults[`${path}.model`]}
          onChange={(model) => set({ model })}
          spellCheck={false}
        />
      )}
      <div>
        <Button icon="play" isBusy={test.isRunning} onClick={() => void test.run({ member_id, ...modelInputOf(value) }).then(setReport)}>
          {text.test}
        </Button>
      </div>
      <div aria-live="polite">
        {test.error ? <Note kind="danger">{failureText(test.error).detail ?? failureText(test.error).title}</Note> : undefined}
        {report ? <Report report={report} /> : undefined}
      </div>
      <Price value={value.price} onChange={(price) => set({ price })} />
    </div>
  );
}

function Report({ report: { ok, error, answer, models, duration_ms } }: { report: ModelTestReport }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  if (!ok) return <Note kind="danger">{error?.message ?? text.testFailed}</Note>;
  return (
    <Note kind="ok" title={answer === null ? text.reached(format.duration(duration_ms)) : text.answered(format.duration(duration_ms))}>
      {answer === null ? undefined : <p>“{answer}”</p>}
      {models.length > 0 ? <p>{text.modelsFound(models.length)}</p> : undefined}
    </Note>
  );
}

function Price({ value, onChange }: { value: ModelPrice | null; onChange: (value: ModelPrice | null) => void }) {
  const text = useTexts(catalogue);
  const { input = null, output = null, currency = 'EUR' } = value ?? {};
  const set = (change: Partial<{ input: number | null; output: number | null; currency: string }>) => {
    const next = { input, output, currency, ...change };
    onChange(
      next.input === null && next.output === null ? null : { input: next.input ?? 0, output: next.output ?? 0, currency: next.currency },
    );
  };
  return (
    <div className="agents-limits">
      <NumberField
        label={text.priceIn}
        help={text.priceHelp}
        min={0}
        step={0.0001}
        value={input}
        onChange={(next) => set({ input: next })}
      />
      <NumberField label={text.priceOut} min={0} step={0.0001} value={output} onChange={(next) => set({ output: next })} />
      <TextField
        label={text.currency}
        value={currency}
        onChange={(next) => set({ currency: next.toUpperCase() })}
        pattern="[A-Z]{3}"
        maxLength={3}
        disabled={value === null}
      />
    </div>
  );
}
