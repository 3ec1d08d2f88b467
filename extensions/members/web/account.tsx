import {
  Button,
  Card,
  Checkbox,
  Code,
  CopyButton,
  confirm,
  Dialog,
  Failed,
  Field,
  IconButton,
  List,
  ListItem,
  Loading,
  mayAdminister,
  Note,
  Page,
  Section,
  TextField,
  Time,
  useKept,
  useMe,
  useTexts,
  useUnsaved,
} from '@platform/kit';
import { ComboBox, Select } from '@platform/kit/forms';
import { useState } from 'react';
import type { MemberSettings, PersonalToken } from '../contract.js';
import { api } from './api.js';
import { OwnEmail } from './email.js';
import { Sessions } from './sessions.js';
import { catalogue } from './texts/index.js';

/** Shows the member's own account: settings, password, sessions and personal tokens. */
export function Account() {
  const text = useTexts(catalogue);
  const me = useMe();
  return (
    <Page title={text.me} text={`${me.nickname} (@${me.username})`} narrow>
      <Settings />
      <OwnEmail />
      <Password />
      <Sessions />
      <Tokens />
    </Page>
  );
}

const zones = Intl.supportedValuesOf('timeZone');

function Settings() {
  const text = useTexts(catalogue);
  const { data, error, again } = api.useRead('members.settings', {}, { on: ['settings.*'] });
  const save = api.useWrite('members.set_settings', { reads: ['members.settings', 'web.start'], done: text.saved });
  const set = (change: Partial<MemberSettings>) => void save.run(change);
  const byBrowser = { id: '', label: text.byBrowser };
  return (
    <Section title={text.appearance}>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={3} /> : undefined}
      {data ? (
        <Card>
          <Select
            label={text.language}
            options={[byBrowser, { id: 'en', label: 'English' }, { id: 'zh-CN', label: '简体中文' }]}
            value={data.language ?? ''}
            onChange={(language) => set({ language: language || null })}
          />
          <ComboBox
            label={text.zone}
            help={text.zoneHelp}
            placeholder={text.byBrowser}
            options={zones.map((zone) => ({ id: zone, label: zone.replaceAll('_', ' ') }))}
            value={data.zone}
            onChange={(zone) => set({ zone })}
          />
          <Select
            label={text.theme}
            options={[
              { id: 'system', label: text.bySystem },
              { id: 'light', label: text.light },
              { id: 'dark', label: text.dark },
            ]}
            value={data.theme ?? 'system'}
            onChange={(theme) => set({ theme: theme as MemberSettings['theme'] })}
          />
        </Card>
      ) : undefined}
    </Section>
  );
}

function Password() {
  const text = useTexts(catalogue);
  const [current_password, setCurrent] = useState('');
  const [new_password, setNew] = useState('');
  const change = api.useWrite('auth.password', { reads: ['auth.me'], done: text.passwordChanged });
  useUnsaved(current_password !== '' || new_password !== '');
  const { error } = change;
  const send = async () => {
    if (!(await change.run({ current_password, new_password }))) return;
    setCurrent('');
    setNew('');
  };
  return (
    <Section title={text.password} text={text.passwordHelp}>
      <Card>
        <form
          className="members-form"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          {error ? <Failed error={error} /> : undefined}
          <TextField
            label={text.currentPassword}
            type="password"
            autoComplete="current-password"
            value={current_password}
            onChange={setCurrent}
            required
          />
          <TextField
            label={text.newPassword}
            help={text.newPasswordHelp}
            type="password"
            autoComplete="new-password"
            minLength={8}
            maxLength={256}
            value={new_password}
            onChange={setNew}
            required
          />
          <div>
            <Button type="submit" isBusy={change.isRunning} disabled={current_password === '' || new_password.length < 8}>
              {text.changePassword}
            </Button>
          </div>
        </form>
      </Card>
    </Section>
  );
}

function Tokens() {
  const text = useTexts(catalogue);
  const [isAdding, setAdding] = useState(false);
  const { data, error, again } = api.useRead('tokens.list', {});
  const remove = api.useWrite('tokens.delete', { reads: ['tokens.list'], done: text.tokenDeleted });
  const end = async ({ id, name }: PersonalToken) => {
    if (await confirm({ title: text.deleteToken(name), text: text.deleteTokenHelp, confirm: text.deleteShort, danger: true }))
      await remove.run({ id });
  };
  return (
    <Section
      title={text.tokens}
      text={text.tokensHelp}
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          {text.newToken}
        </Button>
      }
    >
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {data?.length === 0 ? <p className="members-note">{text.noTokens}</p> : undefined}
      <List label={text.tokens} hasLines>
        {data?.map((token) => (
          <ListItem
            key={token.id}
            id={token.id}
            title={token.name}
            text={token.scopes.map((scope) => text.scopes[scope]).join(', ')}
            end={
              <>
                <span>{token.last_used_at === null ? text.neverUsed : <Time iso={token.last_used_at} ago />}</span>
                {token.expires_at === null ? undefined : <span>· {text.until(token.expires_at.slice(0, 10))}</span>}
              </>
            }
            actions={<IconButton isSmall icon="delete" label={text.deleteToken(token.name)} onClick={() => void end(token)} />}
          />
        ))}
      </List>
      {isAdding ? <NewTokenDialog onClose={() => setAdding(false)} /> : undefined}
    </Section>
  );
}

const scopes = ['read', 'chat', 'admin'] as const;

function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const text = useTexts(catalogue);
  const isAdmin = mayAdminister(useMe());
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [chosen, setChosen] = useKept<readonly (typeof scopes)[number][]>('members.token.scopes', ['read', 'chat']);
  const [secret, setSecret] = useState<string>();
  const create = api.useWrite('tokens.create', { reads: ['tokens.list'] });
  // The token is shown once: leaving would lose it.
  useUnsaved(name !== '' || secret !== undefined);
  const { error } = create;
  const send = async () => {
    const expires_at = days === '' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
    const made = await create.run({ name: name.trim(), scopes: [...chosen], expires_at });
    if (made) setSecret(made.token);
  };
  if (secret !== undefined) return <TokenMade secret={secret} onClose={onClose} />;
  return (
    <Dialog
      title={text.newToken}
      isOpen
      isFirm
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isRunning} disabled={name.trim() === '' || chosen.length === 0}>
            {text.create}
          </Button>
        </>
      }
    >
      {error ? <Failed error={error} /> : undefined}
      <TextField label={text.tokenName} help={text.tokenNameHelp} value={name} onChange={setName} maxLength={64} required />
      <Field label={text.mayDo}>
        <div className="members-choices">
          {scopes
            .filter((scope) => scope !== 'admin' || isAdmin)
            .map((scope) => (
              <Checkbox
                key={scope}
                label={text.scopes[scope]}
                help={text.scopesHelp[scope]}
                checked={chosen.includes(scope)}
                onChange={(checked) => setChosen(checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))}
              />
            ))}
        </div>
      </Field>
      <Select
        label={text.expires}
        options={[
          { id: '30', label: text.days(30) },
          { id: '90', label: text.days(90) },
          { id: '365', label: text.days(365) },
          { id: '', label: text.never },
        ]}
        value={days}
        onChange={setDays}
      />
    </Dialog>
  );
}

function TokenMade({ secret, onClose }: { secret: string; onClose: () => void }) {
  const text = useTexts(catalogue);
  const address = location.origin + (document.documentElement.dataset.prefix ?? '');
  return (
    <Dialog
      title={text.tokenMade}
      isOpen
      isFirm
      size="large"
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      }
    >
      <Note kind="warn">{text.tokenOnlyOnce}</Note>
      <TextField label={text.token} value={secret} onChange={() => undefined} readOnly end={<CopyButton text={secret} />} />
      <p>{text.useWithOpenAi}</p>
      <Code text={`OPENAI_BASE_URL=${address}/api/v1\nOPENAI_API_KEY=${secret}`} />
      <p>{text.useWithMcp}</p>
      <Code
        text={JSON.stringify(
          { mcpServers: { platform: { url: `${address}/api/mcp`, headers: { Authorization: `Bearer ${secret}` } } } },
          undefined,
          2,
        )}
      />
    </Dialog>
  );
}
