import {
  Badge,
  Button,
  Card,
  confirm,
  Dialog,
  Facts,
  Failed,
  LinkButton,
  Loading,
  Menu,
  mayAdminister,
  Note,
  Page,
  Section,
  Time,
  useFormat,
  useMe,
  useNotify,
  useRoute,
  useTexts,
} from '@platform/kit';
import { Select } from '@platform/kit/forms';
import { Markdown } from '@platform/kit/markdown';
import { useState } from 'react';
import type { ExtensionDetail } from '../contract.js';
import { api, on, reads } from './api.js';
import { PermissionList } from './permissions.js';
import { catalogue } from './texts/index.js';

/** Shows a skill or plugin before and after its installation. */
export function ExtensionPage() {
  const { id = '' } = useRoute().params;
  const isAdmin = mayAdminister(useMe());
  const { data, error, again } = api.useRead('marketplace.get', { id, upstream: true }, { on });
  return (
    <Page
      title={data?.name ?? id}
      {...(data && { text: data.description })}
      {...(data && isAdmin && { actions: <Actions extension={data} /> })}
      back="/marketplace"
      narrow
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={8} /> : undefined}
      {data ? <Detail extension={data} /> : undefined}
    </Page>
  );
}

function Actions({ extension }: { extension: ExtensionDetail }) {
  const text = useTexts(catalogue);
  const [isAsking, setAsking] = useState(false);
  const remove = api.useWrite('marketplace.uninstall', { reads, done: text.wasRemoved });
  const { id, name, type, installed_version, version } = extension;
  const end = async () => {
    if (await confirm({ title: text.remove(name), text: text.removeHelp, confirm: text.removeShort, danger: true }))
      await remove.run({ id, purge: false });
  };
  return (
    <>
      {installed_version !== null && type === 'plugin' ? (
        <LinkButton icon="settings" to={`/marketplace/extensions/${id}/settings`}>
          {text.settings}
        </LinkButton>
      ) : undefined}
      {installed_version === version ? undefined : (
        <Button kind="primary" icon="download" onClick={() => setAsking(true)}>
          {installed_version === null ? text.install : text.update(version)}
        </Button>
      )}
      {installed_version === null ? undefined : (
        <Menu
          label={text.moreActions}
          items={[
            { id: 'other', label: text.otherVersion, icon: 'refresh', run: () => setAsking(true) },
            { id: 'remove', label: text.removeShort, icon: 'delete', danger: true, run: () => void end() },
          ]}
        />
      )}
      {isAsking ? <InstallDialog extension={extension} onClose={() => setAsking(false)} /> : undefined}
    </>
  );
}

/** Says what the extension may do and installs it. */
function InstallDialog({ extension, onClose }: { extension: ExtensionDetail; onClose: () => void }) {
  const text = useTexts(catalogue);
  const notify = useNotify();
  const [version, setVersion] = useState(extension.version);
  const { id, source } = extension;
  const chosen = api.useRead('marketplace.version', { id, version, upstream: true });
  const install = api.useWrite('marketplace.install', { reads });
  const { error } = install;
  const send = async () => {
    const made = await install.run({ id, version, accept_permissions: true, ...(source !== null && { source }) });
    if (!made) return;
    notify(text.wasInstalled(extension.name, made.version), { kind: 'success' });
    onClose();
  };
  return (
    <Dialog
      title={text.installName(extension.name)}
      isOpen
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={install.isRunning} disabled={!chosen.data}>
            {text.install}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      {extension.versions.length > 1 ? (
        <Select
          label={text.version}
          options={extension.versions.map((each) => ({ id: each.version, label: each.version }))}
          value={version}
          onChange={setVersion}
        />
      ) : undefined}
      <p className="marketplace-strong">{text.willMay}</p>
      {chosen.data ? <PermissionList permissions={chosen.data.permissions} /> : undefined}
      {!chosen.data && chosen.error ? <Failed error={chosen.error} again={chosen.again} /> : undefined}
      {!chosen.data && !chosen.error ? <Loading lines={3} /> : undefined}
      {chosen.data && chosen.data.signed_by === null ? <Note kind="warn">{text.notSigned}</Note> : undefined}
    </Dialog>
  );
}

function Detail({ extension }: { extension: ExtensionDetail }) {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { type, version, installed_version, author, license, downloads, source, signed_by, contributes, permissions, readme, tags } =
    extension;
  const shown = (names: readonly string[] | undefined) => (names && names.length > 0 ? format.list(names) : undefined);
  return (
    <>
      <Card>
        <Facts
          items={[
            [text.kind, <Badge key="kind">{text.types[type]}</Badge>],
            [text.version, version],
            [text.installedVersion, installed_version],
            [text.author, author],
            [text.licence, license],
            [text.source, source ?? text.here],
            [text.signedBy, signed_by],
            [text.tags, shown(tags)],
            [text.installations, downloads],
            [text.published, extension.created_at === null ? undefined : <Time key="published" iso={extension.created_at} />],
          ]}
        />
      </Card>
      {type === 'plugin' ? (
        <Section title={text.mayDo}>
          <PermissionList permissions={permissions} />
        </Section>
      ) : undefined}
      {contributes && type === 'plugin' ? (
        <Section title={text.brings}>
          <Card>
            <Facts
              items={[
                [text.tools, shown(contributes.tools)],
                [text.actions, shown(contributes.actions)],
                [text.pages, shown(contributes.panels)],
                [text.channels, shown(contributes.channels)],
                [text.commands, shown(contributes.commands)],
                [text.operations, shown(contributes.operations)],
              ]}
            />
          </Card>
        </Section>
      ) : undefined}
      {readme === '' ? undefined : (
        <Section title={text.readme}>
          <Markdown text={readme} />
        </Section>
      )}
    </>
  );
}
