import {
  Badge,
  Button,
  Card,
  Code,
  Facts,
  Failed,
  Loading,
  Note,
  Page,
  Section,
  Switch,
  useFormat,
  useKept,
  useRoute,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { type FormValue, SchemaForm } from '@platform/kit/forms';
import type { JsonSchema } from '../../../kernel/contract/schema.js';
import type { PluginDetail, PluginSettings } from '../../../kernel/contract/system.js';
import { api, on, reads } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows an installed plugin from inside: whether it runs, its settings, and its log. */
export function PluginSettingsPage() {
  const { id = '' } = useRoute().params;
  const plugin = api.useRead('plugins.get', { name: id }, { on, every_ms: 5_000 });
  const settings = api.useRead('plugins.settings', { name: id });
  return (
    <Page title={plugin.data?.title ?? id} back={`/marketplace/extensions/${id}`} narrow>
      {plugin.error && !plugin.data ? <Failed error={plugin.error} again={plugin.again} /> : undefined}
      {!plugin.data && !plugin.error ? <Loading lines={6} /> : undefined}
      {plugin.data ? <State plugin={plugin.data} /> : undefined}
      {settings.data && Object.keys((settings.data.schema as JsonSchema).properties ?? {}).length > 0 ? (
        <Form key={id} stored={settings.data} />
      ) : undefined}
      {plugin.data ? <Log plugin={plugin.data} /> : undefined}
    </Page>
  );
}

function State({ plugin }: { plugin: PluginDetail }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { name, state, error, restarts, memory_mb, walls, uptime_s } = plugin;
  const enable = api.useWrite('plugins.enable', { reads });
  const disable = api.useWrite('plugins.disable', { reads });
  const isOn = state !== 'disabled';
  return (
    <Section title={text.state}>
      {error === null ? undefined : <Note kind="danger">{error}</Note>}
      <Card>
        <Switch
          label={text.isOn}
          checked={isOn}
          disabled={enable.isRunning || disable.isRunning}
          onChange={(next) => void (next ? enable.run({ name }) : disable.run({ name }))}
        />
        <Facts
          items={[
            [text.state, <Badge key="state">{text.states[state]}</Badge>],
            [text.memory, memory_mb === null ? undefined : format.bytes(memory_mb * 1e6)],
            [text.runsSince, uptime_s === null ? undefined : format.duration(uptime_s * 1_000)],
            [text.restarts, restarts > 0 ? restarts : undefined],
            [text.walls, walls.length > 0 ? format.list(walls) : undefined],
          ]}
        />
      </Card>
    </Section>
  );
}

function Form({ stored }: { stored: PluginSettings }) {
  const text = useTexts(catalogue);
  const { name, config, secrets } = stored;
  const schema = stored.schema as JsonSchema;
  const [draft, setDraft] = useKept<FormValue | undefined>(`marketplace.settings.${name}`, undefined);
  useUnsaved(draft !== undefined);
  const save = api.useWrite('plugins.configure', { reads: ['plugins.settings', 'plugins.get'], done: text.saved });
  const { error } = save;
  const faults = Object.fromEntries((error?.details ?? []).map(({ path, message }) => [path.replace(/^config\./, ''), message]));
  const send = async () => {
    if (await save.run({ name, config: { ...(draft ?? config) } })) setDraft(undefined);
  };
  return (
    <Section title={text.settings}>
      <Card>
        <form
          className="marketplace-form"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          {error ? <Failed error={error} /> : undefined}
          <SchemaForm
            schema={schema}
            value={draft ?? config}
            onChange={setDraft}
            faults={faults}
            secrets={secretsOf(schema)}
            stored={secrets}
          />
          <div className="marketplace-buttons">
            <Button kind="primary" type="submit" isBusy={save.isRunning} disabled={draft === undefined}>
              {text.save}
            </Button>
            {draft === undefined ? undefined : (
              <Button kind="quiet" onClick={() => setDraft(undefined)}>
                {text.discard}
              </Button>
            )}
          </div>
        </form>
      </Card>
    </Section>
  );
}

function Log({ plugin: { log } }: { plugin: PluginDetail }) {
  const text = useTexts(catalogue);
  if (log.length === 0) return undefined;
  const lines = log.map(
    ({ at, level, message, fields }) => `${at} ${level} ${message}${Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''}`,
  );
  return (
    <Section title={text.log}>
      <Code text={lines.toReversed().join('\n')} label={text.log} />
    </Section>
  );
}

/** Returns the names of settings that are write-only or passwords. */
function secretsOf({ properties = {} }: JsonSchema): string[] {
  // Markers of secrets are no part of the schemas that operations have.
  const isSecret = ({ writeOnly, format }: { writeOnly?: unknown; format?: unknown }) => writeOnly === true || format === 'password';
  return Object.entries(properties).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []));
}
