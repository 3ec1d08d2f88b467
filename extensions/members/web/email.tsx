import { Button, Card, Failed, Section, TextField, useTexts, useUnsaved } from '@platform/kit';
import { useState } from 'react';
import type { Me } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows the member's own e-mail address, and changes it. */
export function OwnEmail() {
  const { data, error, again } = api.useRead('auth.me', {});
  if (error && !data) return <Failed error={error} again={again} />;
  return data ? <EmailForm key={data.email} me={data} /> : undefined;
}

function EmailForm({ me }: { me: Me }) {
  const text = useTexts(catalogue);
  const [email, setEmail] = useState(me.email ?? '');
  const [password, setPassword] = useState('');
  const save = api.useWrite('auth.set_email', { reads: ['auth.me'], done: text.saved });
  const { error } = save;
  const address = email.trim();
  useUnsaved(address !== (me.email ?? '') || password !== '');
  const send = async () => {
    if (await save.run({ email: address === '' ? null : address, password })) setPassword('');
  };
  return (
    <Section title={text.email} text={text.emailHelp}>
      <Card>
        <form
          className="members-form"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          {error ? <Failed error={error} /> : undefined}
          <TextField label={text.email} type="email" autoComplete="email" isOptional value={email} onChange={setEmail} maxLength={254} />
          {address === (me.email ?? '') ? undefined : (
            <>
              <TextField
                label={text.currentPassword}
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={setPassword}
                required
              />
              <div>
                <Button type="submit" isBusy={save.isRunning} disabled={password === ''}>
                  {text.save}
                </Button>
              </div>
            </>
          )}
        </form>
      </Card>
    </Section>
  );
}

/** Shows a member's e-mail address to an administrator, who may change it. */
export function MemberEmail({ id, email: before }: { id: number; email: string | null }) {
  const text = useTexts(catalogue);
  const [email, setEmail] = useState(before ?? '');
  const update = api.useWrite('members.update', { reads: ['members.get', 'members.list'], done: text.saved });
  const address = email.trim();
  useUnsaved(address !== (before ?? ''));
  return (
    <form
      className="members-line"
      onSubmit={(event) => {
        event.preventDefault();
        void update.run({ id, email: address === '' ? null : address });
      }}
    >
      <TextField label={text.email} type="email" isOptional value={email} onChange={setEmail} maxLength={254} autoComplete="off" />
      <Button type="submit" isBusy={update.isRunning} disabled={address === (before ?? '')}>
        {text.save}
      </Button>
    </form>
  );
}
