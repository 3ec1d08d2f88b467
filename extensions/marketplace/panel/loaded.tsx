import {
  type Action,
  ago,
  type Column,
  Fields,
  Log,
  mayAdminister,
  number,
  type Opening,
  Records,
  type SystemApi,
  Text,
  useCall,
  useSpace,
} from '../../../tui/kit/index.js';
import type { InstalledItem } from '../contract.js';
import type { Props } from '../panel.js';

type Plugin = SystemApi['plugins.list']['answer'][number];
export type Row = Plugin & { installed: InstalledItem | undefined };

export interface LoadedProps extends Props {
  opening: Opening<Row> | undefined;
}

/** Lists the loaded extensions with their installation. */
export async function readLoaded(client: Props['client'], signal: AbortSignal): Promise<Row[]> {
  const [plugins, { items }] = await Promise.all([client.plugins.list({}, { signal }), client.marketplace.installed({}, { signal })]);
  return plugins.map((plugin) => ({ ...plugin, installed: items.find(({ id }) => id === plugin.name) }));
}

/** Shows the loaded extensions, the platform's own and installed ones, and their state. */
export function Loaded({ client, size, me, clock, opening }: LoadedProps) {
  const list = useCall((signal) => readLoaded(client, signal), [client], { every_ms: 10_000, on: ['extension.changed'] });
  const isAdmin = mayAdminister(me);
  const columns: Column<Row>[] = [
    { title: 'id', value: ({ name }) => name },
    { title: 'version', value: versionOf },
    { title: 'state', value: ({ state }) => state, colour: ({ state }) => colours[state] },
    { title: 'since', value: ({ loaded_at }) => ago(loaded_at, clock()) },
    { title: 'memory', value: ({ memory_mb }) => (memory_mb === null ? '-' : `${number(memory_mb)} MB`), align: 'right' },
    { title: 'about', value: ({ error, description }) => error ?? description, grow: true },
  ];
  return (
    <Records
      rows={list.value}
      error={list.error}
      columns={columns}
      idOf={({ name }) => name}
      height={size.rows}
      opening={opening}
      details={({ name }) => <Details client={client} name={name} />}
      actions={isAdmin ? actionsOf(client, list.again) : []}
      remove={isAdmin ? removal(client, list.again) : undefined}
    />
  );
}

const colours = { active: 'good', loading: 'warn', restarting: 'warn', failed: 'bad', disabled: 'dim' } as const;

function versionOf({ version, installed }: Row): string {
  if (installed?.yanked) return `${version}, withdrawn`;
  return installed?.has_update ? `${version} (${installed.latest_version} available)` : version;
}

function actionsOf(client: Props['client'], again: () => void): Action<Row>[] {
  const then = (change: (row: Row) => Promise<unknown>) => async (row: Row) => {
    await change(row);
    again();
  };
  return [
    { key: 'r', label: 'reload', when: ({ state }) => state !== 'disabled', run: then(({ name }) => client.plugins.reload({ name })) },
    { key: 'o', label: 'enable', when: ({ state }) => state !== 'active', run: then(({ name }) => client.plugins.enable({ name })) },
    {
      key: 'x',
      label: 'disable',
      when: ({ state }) => state !== 'disabled',
      confirm: ({ name }) => `Stop ${name} and everything that depends on it?`,
      run: then(({ name }) => client.plugins.disable({ name })),
    },
  ];
}

function removal(client: Props['client'], again: () => void) {
  return {
    question: ({ name }: Row) => `Remove ${name}? Its data stays.`,
    when: ({ builtin }: Row) => !builtin,
    run: async ({ name }: Row) => {
      await client.marketplace.uninstall({ id: name, purge: false });
      again();
    },
  };
}

/** Formats the fields of a log line behind its message; older servers send none. */
function fieldsText(fields: object | undefined): string {
  return fields === undefined || Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
}

function Details({ client, name }: { client: Props['client']; name: string }) {
  const { rows } = useSpace();
  const found = useCall((signal) => client.plugins.get({ name }, { signal }), [client, name], {
    every_ms: 5_000,
    on: ['extension.changed'],
  });
  if (found.value === undefined) return <Text kind={found.error ? 'bad' : 'dim'}>{found.error?.message ?? 'Loading …'}</Text>;
  const plugin = found.value;
  const { contributes } = plugin;
  const fields: [string, unknown][] = [
    ['Name', `${plugin.title} ${plugin.version}, by ${plugin.author}`],
    ['State', plugin.error ? `${plugin.state}: ${plugin.error}` : plugin.state],
    ['Restarts', plugin.restarts],
    ['Walls', plugin.walls.join(', ') || (plugin.builtin ? "runs in the server's process" : 'none')],
    ['Operations', contributes.operations.join(', ')],
    ['Permissions', JSON.stringify(plugin.permissions)],
  ];
  const lines = plugin.log.map(({ at, level, message, fields }) => `${at} ${level} ${message}${fieldsText(fields)}`);
  return (
    <>
      <Fields of={fields} />
      <Text kind="dim">{lines.length > 0 ? 'Log:' : 'The log is empty'}</Text>
      <Log lines={lines} height={Math.max(1, rows - fields.length - 1)} />
    </>
  );
}
