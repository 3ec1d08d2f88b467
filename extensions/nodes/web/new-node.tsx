import { Button, Card, Failed, Fold, Page, Section, TextArea, TextField, useGo, useKept, useTexts, useUnsaved } from '@platform/kit';
import { RadioGroup, Select } from '@platform/kit/forms';
import type { NewNode, NodeNetwork } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

type Way = 'local' | 'tcp' | 'ssh';

interface Draft {
  way: Way;
  name: string;
  host: string;
  image: string;
  memory_limit: string;
  cpu_limit: string;
  network: NodeNetwork;
  ca: string;
  cert: string;
  key: string;
  host_key: string;
  private_key: string;
  password: string;
}

const empty: Draft = {
  way: 'local',
  name: '',
  host: '',
  image: '',
  memory_limit: '',
  cpu_limit: '',
  network: 'internet',
  ca: '',
  cert: '',
  key: '',
  host_key: '',
  private_key: '',
  password: '',
};

const fields = Object.keys(empty) as (keyof Draft)[];

/** Adds a node on this machine's engine, or on another one by TCP or SSH. Its engine is asked at once, so a mistake shows. */
export function NewNodePage() {
  const text = useTexts(catalogue);
  const go = useGo();
  const [draft, setDraft] = useKept('nodes.new', empty);
  const endUnsaved = useUnsaved(fields.some((name) => draft[name] !== empty[name]));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const leave = (path: string, replace = false) => {
    setDraft(empty);
    endUnsaved();
    go(path, { replace });
  };
  const reads = ['nodes.list'];
  const create = api.useWrite('nodes.create', { reads });
  const register = api.useWrite('nodes.register', { reads });
  const error = create.error ?? register.error;
  const faults = Object.fromEntries((error?.details ?? []).map(({ path, message }) => [path, message]));
  const send = async () => {
    const input = inputOf(draft);
    const made =
      draft.way === 'local'
        ? await create.run({ name: input.name, config: input.config ?? {}, respond_async: true })
        : await register.run(input);
    if (made) leave(`/nodes/${made.id}`, true);
  };
  return (
    <Page title={text.add} back="/nodes" narrow>
      <form
        className="nodes-form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {error ? <Failed error={error} /> : undefined}
        <TextField label={text.name} value={draft.name} error={faults.name} onChange={(name) => set({ name })} maxLength={64} required />
        <RadioGroup
          label={text.where}
          options={(['local', 'tcp', 'ssh'] as const).map((id) => ({ id, label: text.ways[id], help: text.waysHelp[id] }))}
          value={draft.way}
          onChange={(way) => set({ way: way as Way })}
        />
        {draft.way === 'local' ? undefined : <Remote draft={draft} set={set} faults={faults} />}
        <Fold title={text.container}>
          <Container draft={draft} set={set} faults={faults} />
        </Fold>
        <div className="nodes-buttons">
          <Button kind="primary" type="submit" isBusy={create.isRunning || register.isRunning} disabled={draft.name.trim() === ''}>
            {text.add}
          </Button>
          <Button onClick={() => leave('/nodes')}>{text.cancel}</Button>
        </div>
      </form>
    </Page>
  );
}

interface Part {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  faults: Readonly<Record<string, string>>;
}

function Remote({ draft, set, faults }: Part) {
  const text = useTexts(catalogue);
  const isSsh = draft.way === 'ssh';
  return (
    <Section title={text.engine}>
      <Card>
        <TextField
          label={text.address}
          placeholder={isSsh ? 'ssh://user@host.example.org' : 'tcp://host.example.org:2376'}
          value={draft.host}
          error={faults.host}
          onChange={(host) => set({ host })}
          spellCheck={false}
          required
        />
        {isSsh ? (
          <>
            <TextField
              label={text.hostKey}
              help={text.hostKeyHelp}
              value={draft.host_key}
              error={faults['config.ssh.host_key']}
              onChange={(host_key) => set({ host_key })}
              spellCheck={false}
              required
            />
            <TextArea
              label={text.privateKey}
              value={draft.private_key}
              error={faults['config.ssh.private_key']}
              onChange={(private_key) => set({ private_key })}
              spellCheck={false}
              rows={4}
            />
            <TextField
              label={text.password}
              help={text.passwordHelp}
              type="password"
              autoComplete="off"
              value={draft.password}
              onChange={(password) => set({ password })}
            />
          </>
        ) : (
          <>
            <p className="nodes-note">{text.tlsHelp}</p>
            {(['ca', 'cert', 'key'] as const).map((name) => (
              <TextArea
                key={name}
                label={text.tls[name]}
                value={draft[name]}
                error={faults[`config.tls.${name}`]}
                onChange={(value) => set({ [name]: value })}
                spellCheck={false}
                rows={3}
              />
            ))}
          </>
        )}
      </Card>
    </Section>
  );
}

function Container({ draft, set, faults }: Part) {
  const text = useTexts(catalogue);
  return (
    <div className="nodes-form">
      <TextField
        label={text.image}
        help={text.imageHelp}
        placeholder="python:3.12-slim"
        value={draft.image}
        error={faults['config.image']}
        onChange={(image) => set({ image })}
        spellCheck={false}
      />
      <TextField
        label={text.memory}
        placeholder="512m"
        value={draft.memory_limit}
        error={faults['config.memory_limit']}
        onChange={(memory_limit) => set({ memory_limit })}
      />
      <TextField
        label={text.processors}
        placeholder="1.0"
        value={draft.cpu_limit}
        error={faults['config.cpu_limit']}
        onChange={(cpu_limit) => set({ cpu_limit })}
      />
      <Select
        label={text.network}
        options={(['internet', 'none'] as const).map((id) => ({ id, label: text.networks[id] }))}
        value={draft.network}
        onChange={(network) => set({ network })}
      />
    </div>
  );
}

function inputOf(draft: Draft): NewNode {
  const { way, ca, cert, key, host_key, private_key, password } = draft;
  const given = (fields: Record<string, string>) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''));
  const { image, memory_limit, cpu_limit } = draft;
  const tls = given({ ca, cert, key });
  return {
    name: draft.name.trim(),
    node_type: 'docker',
    ...(way !== 'local' && { host: draft.host.trim() }),
    config: {
      ...given({ image, memory_limit, cpu_limit }),
      network: draft.network,
      ...(way === 'tcp' && Object.keys(tls).length > 0 && { tls }),
      ...(way === 'ssh' && { ssh: { host_key: host_key.trim(), ...given({ private_key, password }) } }),
    },
  };
}
