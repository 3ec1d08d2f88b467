import {
  Button,
  Card,
  Failed,
  Fold,
  Loading,
  mayAdminister,
  Page,
  Section,
  TextField,
  useGo,
  useKept,
  useMe,
  useRoute,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { ComboBox, type FormValue, NumberField, SchemaForm, Select } from '@platform/kit/forms';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import type { NewSchedule, Schedule } from '../contract.js';
import { api } from './api.js';
import { NextTimes } from './preview.js';
import { catalogue } from './texts/index.js';

type Draft = Required<Omit<NewSchedule, 'params'>> & { params: FormValue };

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const empty: Draft = {
  name: '',
  action: '',
  params: {},
  trigger_type: 'cron',
  trigger_value: '0 9 * * 1-5',
  timezone: ownZone,
  enabled: true,
  overlap_policy: 'skip',
  catch_up: 'latest',
  timeout_s: 300,
  retries: 0,
  retry_delay_s: 10,
  notify: 'failure',
};

/** Asks for a new schedule. */
export function NewSchedulePage() {
  const text = useTexts(catalogue);
  return (
    <Page title={text.add} back="/schedules" narrow>
      <Form stored={undefined} name="new" />
    </Page>
  );
}

/** Changes a schedule. */
export function EditSchedule() {
  const text = useTexts(catalogue);
  const id = Number(useRoute().params.id);
  const { data, error, again } = api.useRead('schedules.get', { id });
  return (
    <Page title={data ? text.change(data.name) : text.edit} back={`/schedules/${id}`} narrow>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data ? <Form stored={data} name={String(id)} /> : undefined}
    </Page>
  );
}

function Form({ stored, name }: { stored: Schedule | undefined; name: string }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const begin: Draft = stored ? { ...stored, params: stored.params as FormValue } : empty;
  const [draft, setDraft] = useKept<Draft | undefined>(`schedules.form.${name}`, undefined, { persisted: true });
  const endUnsaved = useUnsaved(draft !== undefined);
  const value = draft ?? begin;
  const leave = (path: string, replace = false) => {
    setDraft(undefined);
    endUnsaved();
    go(path, { replace });
  };
  const set = (change: Partial<Draft>) => setDraft({ ...value, ...change });
  const reads = ['schedules.list', 'schedules.get', 'schedules.preview'];
  const create = api.useWrite('schedules.create', { reads, done: text.saved });
  const update = api.useWrite('schedules.update', { reads, done: text.saved });
  const error = create.error ?? update.error;
  const faults = Object.fromEntries((error?.details ?? []).map(({ path, message }) => [path, message]));
  const send = async () => {
    const input = inputOf(value);
    const made = stored ? await update.run({ id: stored.id, ...input }) : await create.run(input);
    if (made) leave(`/schedules/${made.id}`, true);
  };
  return (
    <form
      className="schedules-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {error ? <Failed error={error} /> : undefined}
      <TextField
        label={text.name}
        value={value.name}
        error={faults.name}
        onChange={(next) => set({ name: next })}
        maxLength={200}
        required
      />
      <Section title={text.when}>
        <Card>
          <When value={value} set={set} faults={faults} />
        </Card>
      </Section>
      <Section title={text.what}>
        <Card>
          <What value={value} set={set} faults={faults} />
        </Card>
      </Section>
      <Fold title={text.furtherSettings}>
        <Further value={value} set={set} />
      </Fold>
      <div className="schedules-buttons">
        <Button
          kind="primary"
          type="submit"
          isBusy={create.isRunning || update.isRunning}
          disabled={value.name.trim() === '' || value.action === ''}
        >
          {text.save}
        </Button>
        <Button onClick={() => leave(stored ? `/schedules/${stored.id}` : '/schedules')}>{text.cancel}</Button>
      </div>
    </form>
  );
}

interface Part {
  value: Draft;
  set: (change: Partial<Draft>) => void;
  faults?: Readonly<Record<string, string>>;
}

function When({ value, set, faults = {} }: Part) {
  const text = useTexts(catalogue);
  const examples = { cron: '0 9 * * 1-5', interval: '15m', once: '2027-01-31T09:00' } as const;
  return (
    <>
      <Select
        label={text.kind}
        options={(['cron', 'interval', 'once'] as const).map((id) => ({ id, label: text.kinds[id] }))}
        value={value.trigger_type}
        onChange={(trigger_type) => set({ trigger_type, trigger_value: examples[trigger_type] })}
      />
      <TextField
        label={text.kinds[value.trigger_type]}
        help={text.kindsHelp[value.trigger_type]}
        error={faults.trigger_value}
        value={value.trigger_value}
        onChange={(trigger_value) => set({ trigger_value })}
        spellCheck={false}
        required
      />
      <ComboBox
        label={text.zone}
        options={zones.map((id) => ({ id, label: id.replaceAll('_', ' ') }))}
        value={value.timezone}
        onChange={(timezone) => set({ timezone: timezone ?? 'UTC' })}
      />
      <div aria-live="polite">
        <p className="schedules-label">{text.nextTimes}</p>
        <NextTimes trigger={{ trigger_type: value.trigger_type, trigger_value: value.trigger_value, timezone: value.timezone }} />
      </div>
    </>
  );
}

function What({ value, set, faults = {} }: Part) {
  const text = useTexts(catalogue);
  const isAdmin = mayAdminister(useMe());
  const { data, error } = api.useRead('catalog.get', {}, { enabled: isAdmin });
  const actions = Object.entries(data?.operations ?? {}).filter(([, { schedulable }]) => schedulable);
  const chosen = data?.operations[value.action];
  const forEmployee = value.action === employee_action;
  const paramFaults = Object.fromEntries(
    Object.entries(faults).flatMap(([path, message]) => (path.startsWith('params.') ? [[path.slice('params.'.length), message]] : [])),
  );
  return (
    <>
      {error ? <Failed error={error} /> : undefined}
      <ComboBox
        label={text.action}
        options={actions.map(([id, { summary }]) => ({ id, label: id, detail: summary }))}
        value={value.action === '' ? null : value.action}
        onChange={(action) => set({ action: action ?? '', params: action === value.action ? value.params : {} })}
        required
      />
      {forEmployee ? <Employee value={value.params} onChange={(params) => set({ params })} /> : undefined}
      {chosen ? (
        <SchemaForm
          hidden={forEmployee ? ['member_id'] : []}
          schema={chosen.input as JsonSchema}
          secrets={chosen.secrets}
          value={value.params}
          faults={paramFaults}
          onChange={(params) => set({ params })}
        />
      ) : undefined}
    </>
  );
}

/** The action that gives work to an AI employee; its form asks for a name instead of an id. */
const employee_action = 'tasks.run';

function Employee({ value, onChange }: { value: FormValue; onChange: (value: FormValue) => void }) {
  const text = useTexts(catalogue);
  const { data } = api.useRead('members.list_virtual', {});
  const { member_id, ...others } = value;
  return (
    <Select
      label={text.employee}
      options={[
        { id: 0, label: text.defaultEmployee },
        ...(data ?? []).map(({ id, nickname, post }) => ({ id, label: nickname, detail: post })),
      ]}
      value={typeof member_id === 'number' ? member_id : 0}
      onChange={(id) => onChange(id === 0 ? others : { ...others, member_id: id })}
    />
  );
}

function Further({ value, set }: Part) {
  const text = useTexts(catalogue);
  return (
    <div className="schedules-form">
      <Select
        label={text.overlap}
        options={(['skip', 'queue', 'replace'] as const).map((id) => ({ id, label: text.overlaps[id] }))}
        value={value.overlap_policy}
        onChange={(overlap_policy) => set({ overlap_policy })}
      />
      <Select
        label={text.catchUp}
        options={(['latest', 'none'] as const).map((id) => ({ id, label: text.catchUps[id] }))}
        value={value.catch_up}
        onChange={(catch_up) => set({ catch_up })}
      />
      <Select
        label={text.tellMe}
        options={(['failure', 'always', 'never'] as const).map((id) => ({ id, label: text.notifies[id] }))}
        value={value.notify}
        onChange={(notify) => set({ notify })}
      />
      <NumberField
        label={text.timeLimit}
        help={text.inSeconds}
        min={1}
        max={86_400}
        value={value.timeout_s}
        onChange={(timeout_s) => set({ timeout_s: timeout_s ?? 300 })}
      />
      <NumberField label={text.retries} min={0} max={10} value={value.retries} onChange={(retries) => set({ retries: retries ?? 0 })} />
      {value.retries > 0 ? (
        <NumberField
          label={text.retryDelay}
          help={text.inSeconds}
          min={1}
          max={3_600}
          value={value.retry_delay_s}
          onChange={(retry_delay_s) => set({ retry_delay_s: retry_delay_s ?? 10 })}
        />
      ) : undefined}
    </div>
  );
}

/** Returns the fields that a member chooses; a stored schedule has more. */
function inputOf(draft: Draft): NewSchedule {
  const keys = Object.keys(empty) as (keyof Draft)[];
  return { ...(Object.fromEntries(keys.map((key) => [key, draft[key]])) as Draft), name: draft.name.trim() };
}
