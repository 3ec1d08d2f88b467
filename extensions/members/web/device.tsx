import { Button, Card, Facts, Failed, Note, Page, TextField, Time, useRoute, useTexts } from '@platform/kit';
import { useState } from 'react';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Asks for the code that a program on another machine shows, and whether to log it in. */
export function Device() {
  const text = useTexts(catalogue);
  const given = useRoute().query.get('user_code') ?? '';
  const [code, setCode] = useState(given);
  // A link only fills the code in: the person compares it and goes on.
  const [asked, setAsked] = useState('');
  return (
    <Page title={text.deviceLogin} text={text.deviceLoginHelp} narrow>
      {asked === '' ? (
        <Card>
          <form
            className="members-form"
            onSubmit={(event) => {
              event.preventDefault();
              setAsked(code.trim());
            }}
          >
            <TextField
              label={text.deviceCode}
              help={text.deviceCodeHelp}
              value={code}
              onChange={setCode}
              maxLength={20}
              autoComplete="off"
              spellCheck={false}
              required
            />
            <div>
              <Button kind="primary" type="submit" disabled={code.trim() === ''}>
                {text.next}
              </Button>
            </div>
          </form>
        </Card>
      ) : (
        <Decision key={asked} user_code={asked} back={() => setAsked('')} />
      )}
    </Page>
  );
}

function Decision({ user_code, back }: { user_code: string; back: () => void }) {
  const text = useTexts(catalogue);
  const { data, error } = api.useRead('auth.device', { user_code });
  const decide = api.useWrite('auth.confirm_device', { reads: ['tokens.list', 'auth.sessions'] });
  const [decision, setDecision] = useState<'approve' | 'deny'>();
  const { error: refused } = decide;
  const run = async (next: 'approve' | 'deny') => {
    if (await decide.run({ user_code, decision: next })) setDecision(next);
  };
  const again = (
    <div>
      <Button onClick={back}>{text.anotherCode}</Button>
    </div>
  );
  if (decision) {
    return (
      <>
        <Note kind={decision === 'approve' ? 'ok' : 'info'}>{decision === 'approve' ? text.deviceApproved : text.deviceDenied}</Note>
        {again}
      </>
    );
  }
  if (error) {
    return (
      <>
        <Failed error={error} />
        {again}
      </>
    );
  }
  if (!data) return undefined;
  return (
    <Card>
      {refused ? <Failed error={refused} /> : undefined}
      <Facts
        items={[
          [text.deviceCode, user_code.toUpperCase()],
          [text.deviceName, data.name],
          [text.deviceAddress, data.address],
          [text.deviceSince, <Time key="since" iso={data.created_at} ago />],
        ]}
      />
      <Note kind="warn">{text.deviceWarning}</Note>
      <div className="members-line">
        <Button kind="primary" isBusy={decide.isRunning} onClick={() => void run('approve')}>
          {text.deviceApprove}
        </Button>
        <Button isBusy={decide.isRunning} onClick={() => void run('deny')}>
          {text.deviceDeny}
        </Button>
      </div>
    </Card>
  );
}
