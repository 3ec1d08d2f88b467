import { Badge, type BadgeKind, Button, Empty, Failed, Loading, mayAdminister, Note, useGo, useMe, useTexts } from '@platform/kit';
import { Table } from '@platform/kit/forms';
import type { InstalledItem } from '../contract.js';
import { api, on, reads } from './api.js';
import { catalogue } from './texts/index.js';

const kinds: Readonly<Record<InstalledItem['state'], BadgeKind>> = {
  loading: 'info',
  active: 'ok',
  disabled: 'neutral',
  restarting: 'warn',
  failed: 'danger',
};

/** Shows what is installed, whether it runs, and whether it has an update. */
export function Installed() {
  const text = useTexts(catalogue);
  const go = useGo();
  const isAdmin = mayAdminister(useMe());
  const { data, error, again } = api.useRead('marketplace.installed', {}, { on });
  const update = api.useWrite('marketplace.install', { reads, done: text.wasUpdated });
  const failed = data?.items.filter((item) => item.error !== null) ?? [];
  return (
    <>
      {failed.map(({ id, name, error: reason }) => (
        <Note key={id} kind="danger" title={name}>
          {reason}
        </Note>
      ))}
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={5} /> : undefined}
      {data ? (
        <Table<InstalledItem>
          label={text.installed}
          rows={data.items}
          onOpen={({ id }) => go(`/marketplace/extensions/${id}`)}
          empty={<Empty icon="plugin" title={text.noneInstalled} text={text.noneInstalledHelp} />}
          columns={[
            { id: 'name', label: text.name, show: ({ name }) => name, sortBy: ({ name }) => name },
            { id: 'type', label: text.kind, show: ({ type }) => text.types[type], sortBy: ({ type }) => type, isExtra: true },
            {
              id: 'state',
              label: text.state,
              show: ({ state, yanked }) => (
                <>
                  <Badge kind={kinds[state]}>{text.states[state]}</Badge> {yanked ? <Badge kind="danger">{text.yanked}</Badge> : undefined}
                </>
              ),
              sortBy: ({ state }) => state,
            },
            { id: 'version', label: text.version, show: ({ version }) => version },
            {
              id: 'update',
              label: text.updates,
              show: ({ id, has_update, latest_version }) =>
                has_update && isAdmin ? (
                  <Button
                    isSmall
                    isBusy={update.isRunning}
                    onClick={() => void update.run({ id, version: latest_version, accept_permissions: false })}
                  >
                    {text.update(latest_version)}
                  </Button>
                ) : has_update ? (
                  latest_version
                ) : (
                  '–'
                ),
            },
          ]}
        />
      ) : undefined}
    </>
  );
}
