import { type Action, type Column, Log, mayAdminister, number, Records, Text, useCall } from '../../../tui/kit/index.js';
import type { ExtensionDetail, SearchItem } from '../contract.js';
import type { Props } from '../panel.js';

const page_size = 100;

/** Lists what can be installed, from here and from sources. */
export function Shelf({ client, size, me }: Props) {
  const read = (signal: AbortSignal) => client.marketplace.search({ upstream: true, limit: page_size, offset: 0 }, { signal });
  const list = useCall(read, [client], { every_ms: 60_000, on: ['extension.changed'] });
  const columns: Column<SearchItem>[] = [
    { title: 'id', value: ({ id }) => id },
    { title: 'version', value: ({ version }) => version },
    { title: 'type', value: ({ type }) => type },
    { title: 'here', value: ({ installed_version }) => installed_version ?? '-' },
    { title: 'from', value: ({ source }) => source ?? 'here' },
    { title: 'installed', value: ({ downloads }) => number(downloads), align: 'right' },
    { title: 'about', value: ({ description }) => description, grow: true },
  ];
  return (
    <Records
      rows={list.value?.items}
      error={list.error}
      columns={columns}
      idOf={({ id, source }) => `${source ?? ''} ${id}`}
      height={size.rows}
      details={({ id }) => <Details client={client} id={id} />}
      actions={mayAdminister(me) ? installations(client, list.again) : []}
      empty="Nothing has been published yet"
    />
  );
}

function installations(client: Props['client'], again: () => void): Action<SearchItem>[] {
  const install =
    (accept_permissions: boolean) =>
    async ({ id, version, source }: SearchItem) => {
      await client.marketplace.install({ id, version, accept_permissions, ...(source === null ? {} : { source }) });
      again();
    };
  return [
    {
      key: 'n',
      label: 'install',
      when: ({ version, installed_version }) => version !== installed_version,
      confirm: ({ id, version }) => `Install ${id} ${version}, with the permissions it requests? Its details show them.`,
      run: install(false),
    },
    {
      key: 'N',
      label: 'install, with more permissions',
      when: ({ version, installed_version }) => installed_version !== null && version !== installed_version,
      confirm: ({ id, version }) => `Install ${id} ${version}, even with more permissions than before?`,
      run: install(true),
    },
  ];
}

function asked(permissions: object): string {
  const names = Object.entries(permissions).map(([name, value]) => (Array.isArray(value) ? `${name} ${value.join(', ')}` : name));
  return names.join('; ') || 'no permissions';
}

function Details({ client, id }: { client: Props['client']; id: string }) {
  const found = useCall((signal) => client.marketplace.get({ id, upstream: true }, { signal }), [client, id]);
  if (found.value === undefined) return <Text kind={found.error ? 'bad' : 'dim'}>{found.error?.message ?? 'Loading …'}</Text>;
  return <Log lines={linesOf(found.value)} follow={false} wrap />;
}

function linesOf({ name, version, author, license, description, permissions, versions, signed_by, readme }: ExtensionDetail): string[] {
  return [
    `${name} ${version}, by ${author}${license ? `, ${license}` : ''}`,
    description,
    `Permissions: ${asked(permissions)}`,
    `Signed: ${signed_by === null ? 'by no trusted key' : `by ${signed_by}`}`,
    `Versions: ${versions.map((each) => each.version).join(', ')}`,
    '',
    ...readme.split('\n'),
  ];
}
