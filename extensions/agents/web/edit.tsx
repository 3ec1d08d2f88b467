import {
  againAll,
  Button,
  Card,
  Failed,
  Loading,
  Note,
  Page,
  Section,
  Switch,
  TextArea,
  TextField,
  useGo,
  useKept,
  useRoute,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { ComboBox, NumberField, RadioGroup, Select } from '@platform/kit/forms';
import type { EmployeeChange, EmployeeSettings, Limits } from '../contract.js';
import { api } from './api.js';
import { type ModelDraft, ModelForm, modelDraftOf, modelInputOf } from './model.js';
import { catalogue } from './texts/index.js';

type Chosen = 'all' | string[];

/** A change that is being written. Models are drafts, because their keys are never shown. */
interface Draft extends Pick<EmployeeSettings, 'name' | 'post' | 'mode' | 'instructions' | 'oversight' | 'limits' | 'fallback_node_ids'> {
  skills: Chosen;
  tools: Chosen;
  node_users: EmployeeSettings['node_users'];
  model: ModelDraft | null;
  fallback_models: ModelDraft[];
  remote_node_id: number | null;
}

const modes = ['assistant', 'supervised', 'autonomous'] as const;

/** Changes an AI employee: its post, instructions, models, tools, skills, nodes and limits. */
export function EditEmployee() {
  const text = useTexts(catalogue);
  const member_id = Number(useRoute().params.member_id);
  const settings = api.useRead('agents.get', { member_id });
  const member = api.useRead('members.get', { id: member_id });
  const error = settings.error ?? member.error;
  return (
    <Page title={settings.data ? text.change(settings.data.name) : text.edit} back={`/employees/${member_id}`} narrow>
      {error ? <Failed error={error} again={() => againAll([settings, member])} /> : undefined}
      {!error && !(settings.data && member.data) ? <Loading lines={10} /> : undefined}
      {settings.data && member.data ? <Form key={member_id} settings={settings.data} node={member.data.remote_node_id} /> : undefined}
    </Page>
  );
}

function Form({ settings, node }: { settings: EmployeeSettings; node: number | null }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const { query } = useRoute();
  const { member_id } = settings;
  const stored = draftOf(settings, node);
  const [draft, setDraft] = useKept<Draft | undefined>(`agents.edit.${member_id}`, undefined);
  const endUnsaved = useUnsaved(draft !== undefined);
  const value = draft ?? stored;
  const set = (change: Partial<Draft>) => setDraft({ ...value, ...change });
  const leave = () => {
    setDraft(undefined);
    endUnsaved();
    go(`/employees/${member_id}`);
  };
  const reads = ['agents.get', 'agents.list', 'agents.profile', 'members.get', 'members.list_virtual'];
  const update = api.useWrite('agents.update', { reads, done: text.saved });
  const bind = api.useWrite('members.update', { reads });
  const error = update.error ?? bind.error;
  const faults = Object.fromEntries((error?.details ?? []).map(({ path, message }) => [path, message]));
  const send = async () => {
    const { remote_node_id } = value;
    if (remote_node_id !== node && !(await bind.run({ id: member_id, remote_node_id }))) return;
    if (await update.run({ member_id, ...changeOf(value) })) leave();
  };
  const part = { value, set, faults, settings };
  return (
    <form
      className="agents-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error ? <Failed error={error} /> : undefined}
      <Work {...part} />
      <div ref={query.get('part') === 'model' ? scrollTo : undefined}>
        <Models {...part} />
      </div>
      <Abilities {...part} />
      <LimitFields {...part} />
      <div className="agents-buttons agents-buttons-sticky">
        <Button kind="primary" type="submit" isBusy={update.isRunning || bind.isRunning} disabled={draft === undefined}>
          {text.save}
        </Button>
        <Button onClick={leave}>{text.cancel}</Button>
      </div>
    </form>
  );
}

function scrollTo(part: HTMLElement | null): void {
  part?.scrollIntoView();
}

interface Part {
  value: Draft;
  set: (change: Partial<Draft>) => void;
  faults: Readonly<Record<string, string>>;
  settings: EmployeeSettings;
}

function Work({ value, set, faults }: Part) {
  const text = useTexts(catalogue);
  return (
    <Section title={text.work}>
      <Card>
        <TextField label={text.name} value={value.name} error={faults.name} onChange={(name) => set({ name })} maxLength={64} required />
        <TextField
          label={text.post}
          help={text.postHelp}
          value={value.post}
          error={faults.post}
          onChange={(post) => set({ post })}
          maxLength={64}
        />
        <TextArea
          label={text.instructions}
          help={text.instructionsHelp}
          value={value.instructions}
          error={faults.instructions}
          onChange={(instructions) => set({ instructions })}
          maxLength={16_000}
          rows={6}
          grows
        />
        <RadioGroup
          label={text.mode}
          options={modes.map((id) => ({ id, label: text.modes[id], help: text.modesHelp[id] }))}
          value={value.mode}
          onChange={(mode) => set({ mode: mode as Draft['mode'] })}
        />
        <Switch label={text.oversight} help={text.oversightHelp} checked={value.oversight} onChange={(oversight) => set({ oversight })} />
      </Card>
    </Section>
  );
}

function Models({ value, set, faults, settings: { member_id, model_habits } }: Part) {
  const text = useTexts(catalogue);
  const config = api.useRead('config.get', {});
  const hasNoModel = config.data?.some(({ key, value: set }) => key === 'agents.model.base_url' && set === '') === true;
  const changeFallback = (at: number, next: ModelDraft) =>
    set({ fallback_models: value.fallback_models.map((each, n) => (n === at ? next : each)) });
  const addFallback = () => set({ fallback_models: [...value.fallback_models, modelDraftOf(undefined, crypto.randomUUID())] });
  return (
    <Section title={text.model} text={text.modelHelp}>
      <Card>
        <Select
          label={text.whichModel}
          options={[
            { id: 'platform', label: text.platformModel },
            { id: 'own', label: text.ownModel },
          ]}
          value={value.model === null ? 'platform' : 'own'}
          onChange={(which) => set({ model: which === 'own' ? modelDraftOf(undefined) : null })}
        />
        {value.model === null && hasNoModel ? <Note kind="warn">{text.noPlatformModel}</Note> : undefined}
        {value.model === null ? undefined : (
          <ModelForm member_id={member_id} value={value.model} faults={faults} path="model" onChange={(model) => set({ model })} />
        )}
        {model_habits.length === 0 ? undefined : (
          <Note kind="info" title={text.habits}>
            <ul>
              {model_habits.map(({ base_url, model, feature, message }) => (
                <li key={`${base_url} ${model} ${feature}`}>
                  <code>{feature}</code> {message}
                </li>
              ))}
            </ul>
          </Note>
        )}
      </Card>
      {value.fallback_models.map((model, at) => (
        <Card key={model.id}>
          <div className="agents-line">
            <h3>{text.fallbackModel(at + 1)}</h3>
            <Button
              isSmall
              kind="quiet"
              icon="delete"
              onClick={() => set({ fallback_models: value.fallback_models.filter((_, n) => n !== at) })}
            >
              {text.takeAway}
            </Button>
          </div>
          <ModelForm
            member_id={member_id}
            value={model}
            faults={faults}
            path={`fallback_models.${at}`}
            onChange={(next) => changeFallback(at, next)}
          />
        </Card>
      ))}
      {value.fallback_models.length < 5 ? (
        <Button icon="add" onClick={addFallback}>
          {text.addFallback}
        </Button>
      ) : undefined}
    </Section>
  );
}

function Abilities({ value, set, settings: { member_id, missing_skills, missing_tools } }: Part) {
  const text = useTexts(catalogue);
  const profile = api.useRead('agents.profile', { member_id });
  const installed = api.useRead('marketplace.installed', {});
  const nodes = api.useRead('nodes.list', { limit: 200, offset: 0 });
  const skills = (installed.data?.items ?? [])
    .filter(({ type }) => type === 'skill')
    .map(({ id, name }) => ({ id, label: name, detail: id }));
  const toolNames = new Set([...(profile.data?.tools ?? []), ...(value.tools === 'all' ? [] : value.tools)]);
  const tools = [...toolNames].sort().map((id) => ({ id, label: id }));
  const nodeOptions = (nodes.data?.items ?? []).map(({ id, name }) => ({ id, label: name }));
  return (
    <Section title={text.abilities}>
      <Card>
        <Choice label={text.skills} all={text.allSkills} options={skills} value={value.skills} onChange={(next) => set({ skills: next })} />
        {missing_skills.length > 0 ? <Note kind="warn">{text.missing(missing_skills.join(', '))}</Note> : undefined}
        <Choice label={text.tools} all={text.allTools} options={tools} value={value.tools} onChange={(next) => set({ tools: next })} />
        {missing_tools.length > 0 ? <Note kind="warn">{text.missing(missing_tools.join(', '))}</Note> : undefined}
        <Select
          label={text.node}
          help={text.nodeHelp}
          options={[{ id: 0, label: text.noNode }, ...nodeOptions]}
          value={value.remote_node_id ?? 0}
          onChange={(id) => set({ remote_node_id: id === 0 ? null : id })}
        />
        <ComboBox
          multi
          label={text.fallbackNodes}
          options={nodeOptions.filter(({ id }) => id !== value.remote_node_id)}
          value={value.fallback_node_ids}
          onChange={(fallback_node_ids) => set({ fallback_node_ids })}
        />
        <Select
          label={text.nodeUsers}
          options={[
            { id: 'admins', label: text.nodeUsersAre.admins },
            { id: 'all', label: text.nodeUsersAre.all },
            ...(Array.isArray(value.node_users) ? [{ id: 'some', label: text.nodeUsersAre.some(value.node_users.length) }] : []),
          ]}
          value={Array.isArray(value.node_users) ? 'some' : value.node_users}
          onChange={(who) => who !== 'some' && set({ node_users: who as 'admins' | 'all' })}
        />
      </Card>
    </Section>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  options: readonly { id: string; label: string; detail?: string }[];
  value: Chosen;
  onChange: (value: Chosen) => void;
}

/** Chooses all, or some of many. */
function Choice({ label, all, options, value, onChange }: ChoiceProps) {
  return (
    <div className="agents-form">
      <Switch label={all} checked={value === 'all'} onChange={(isAll) => onChange(isAll ? 'all' : options.map(({ id }) => id))} />
      {value === 'all' ? undefined : <ComboBox multi label={label} options={options} value={value} onChange={onChange} />}
    </div>
  );
}

const limitNames = ['steps', 'tokens', 'seconds', 'first_byte_seconds', 'idle_seconds', 'tokens_per_day'] as const;
const most: Readonly<Record<keyof Limits, number>> = {
  steps: 1_000,
  tokens: 100_000_000,
  seconds: 86_400,
  first_byte_seconds: 3_600,
  idle_seconds: 3_600,
  tokens_per_day: 2_000_000_000,
};

function LimitFields({ value, set, faults }: Part) {
  const text = useTexts(catalogue);
  return (
    <Section title={text.limits}>
      <Card>
        <div className="agents-limits">
          {limitNames.map((name) => (
            <NumberField
              key={name}
              label={text.limitNames[name]}
              min={name === 'tokens_per_day' ? 0 : 1}
              max={most[name]}
              value={value.limits[name]}
              error={faults[`limits.${name}`]}
              onChange={(next) => set({ limits: { ...value.limits, [name]: next ?? value.limits[name] } })}
            />
          ))}
        </div>
      </Card>
    </Section>
  );
}

function draftOf(settings: EmployeeSettings, remote_node_id: number | null): Draft {
  const { name, post, mode, instructions, oversight, limits, fallback_node_ids, skills, tools, node_users, model, fallback_models } =
    settings;
  return {
    ...{ name, post, mode, instructions, oversight, limits, fallback_node_ids, skills, tools, node_users, remote_node_id },
    model: model === null ? null : modelDraftOf(model),
    fallback_models: fallback_models.map((each, at) => modelDraftOf(each, String(at))),
  };
}

function changeOf({ remote_node_id: _node, model, fallback_models, ...rest }: Draft): EmployeeChange {
  return { ...rest, model: model === null ? null : modelInputOf(model), fallback_models: fallback_models.map(modelInputOf) };
}
