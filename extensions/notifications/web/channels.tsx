import {
  againAll,
  Button,
  Card,
  Checkbox,
  confirm,
  Failed,
  Field,
  Loading,
  Page,
  Switch,
  TextField,
  useKept,
  useNotify,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import type { ChannelChange, ChannelPreference, ChannelRecord, Kind, Source } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Sources, each with the kinds of notifications that come from it. */
const kindsOf: Readonly<Record<Source, readonly Kind[]>> = {
  ai_message: ['answer', 'approval', 'limit_reached'],
  schedule: ['run_finished', 'run_failed', 'schedule_stopped'],
  system: [
    'direct_message',
    'mention',
    'room_message',
    'invitation',
    'report',
    'budget',
    'node_offline',
    'node_incident',
    'plugin_failed',
    'review_waiting',
    'review_decided',
    'notice',
  ],
};
const sources = Object.keys(kindsOf) as Source[];

/** Shows the ways on which notifications reach the member, each as a form that tests itself. */
export function Channels() {
  const text = useTexts(catalogue);
  const channels = api.useRead('notifications.channels', {});
  const preferences = api.useRead('notifications.preferences', {});
  const error = channels.error ?? preferences.error;
  return (
    <Page title={text.channels} text={text.channelsHelp} back="/notifications" narrow>
      {error ? <Failed error={error} again={() => againAll([channels, preferences])} /> : undefined}
      {!error && !(channels.data && preferences.data) ? <Loading lines={8} /> : undefined}
      {channels.data?.map((channel) => {
        const preference = preferences.data?.channels[channel.name];
        return preference ? <Channel key={channel.name} channel={channel} preference={preference} /> : undefined;
      })}
    </Page>
  );
}

/** A draft of a channel's form. Secrets that are left empty stay as they are. */
type Draft = Required<Pick<ChannelChange, 'enabled' | 'sources' | 'settings'>> & { kinds: Kind[] | null };

function Channel({ channel, preference }: { channel: ChannelRecord; preference: ChannelPreference }) {
  const text = useTexts(catalogue);
  const notify = useNotify();
  const stored: Draft = { ...preference, settings: preference.settings };
  const [draft, setDraft] = useKept<Draft | undefined>(`notifications.channel.${channel.name}`, undefined);
  useUnsaved(draft !== undefined);
  const save = api.useWrite('notifications.set_preferences', { reads: ['notifications.preferences'], done: text.saved });
  const test = api.useWrite('notifications.test_channel');
  const value = draft ?? stored;
  const set = (change: Partial<Draft>) => setDraft({ ...value, ...change });
  const store = async () => {
    if (await save.run({ channels: { [channel.name]: changeOf(channel, value) } })) setDraft(undefined);
  };
  const tryOut = async () => {
    const result = await test.run({ channel: channel.name });
    if (result?.accepted) notify(text.testAccepted(result.duration_ms), { kind: 'success' });
    else if (result) notify(text.testFailed(result.error ?? ''), { kind: 'error' });
  };
  const leave = async () => {
    if (await confirm({ title: text.discard, text: text.discardHelp, confirm: text.discard })) setDraft(undefined);
  };
  return (
    <Card>
      <div className="notifications-channel">
        <Switch label={channel.title} checked={value.enabled} onChange={(enabled) => set({ enabled })} />
        {channel.fields.map((field) => (
          <TextField
            key={field.name}
            label={field.label}
            help={field.secret && preference.secrets[field.name] ? text.secretSet : field.description}
            type={field.secret ? 'password' : 'text'}
            required={field.required && !preference.secrets[field.name]}
            value={value.settings[field.name] ?? ''}
            onChange={(next) => set({ settings: { ...value.settings, [field.name]: next } })}
          />
        ))}
        <Field label={text.what}>
          <div className="notifications-kinds">
            {sources.map((source) => (
              <SourceChoice key={source} source={source} value={value} set={set} />
            ))}
          </div>
        </Field>
        <div className="notifications-actions">
          <Button kind="primary" disabled={draft === undefined} isBusy={save.isRunning} onClick={() => void store()}>
            {text.save}
          </Button>
          {draft === undefined ? (
            <Button kind="plain" disabled={!preference.enabled} isBusy={test.isRunning} onClick={() => void tryOut()}>
              {text.test}
            </Button>
          ) : (
            <Button kind="quiet" onClick={() => void leave()}>
              {text.discard}
            </Button>
          )}
        </div>
      </div>
    </Card>
  );
}

function SourceChoice({ source, value, set }: { source: Source; value: Draft; set: (change: Partial<Draft>) => void }) {
  const text = useTexts(catalogue);
  const has = value.sources.includes(source);
  const kinds = value.kinds ?? Object.values(kindsOf).flat();
  const choose = (kind: Kind, isChosen: boolean) => {
    const next = isChosen ? [...kinds, kind] : kinds.filter((each) => each !== kind);
    set({
      kinds: Object.values(kindsOf)
        .flat()
        .every((each) => next.includes(each))
        ? null
        : next,
    });
  };
  return (
    <div className="notifications-source">
      <Checkbox
        label={text.sources[source]}
        checked={has}
        onChange={(checked) => set({ sources: checked ? [...value.sources, source] : value.sources.filter((each) => each !== source) })}
      />
      {has
        ? kindsOf[source].map((kind) => (
            <Checkbox key={kind} label={text.kinds[kind]} checked={kinds.includes(kind)} onChange={(checked) => choose(kind, checked)} />
          ))
        : undefined}
    </div>
  );
}

/** Returns the change to store: an empty secret is left out, because it would remove the stored one. */
function changeOf({ fields }: ChannelRecord, { enabled, sources: chosen, kinds, settings }: Draft): ChannelChange {
  const kept = fields.filter(({ name, secret }) => !secret || (settings[name] ?? '') !== '');
  return { enabled, sources: chosen, kinds, settings: Object.fromEntries(kept.map(({ name }) => [name, settings[name] ?? ''])) };
}
