import { Badge, Button, confirm, Failed, List, ListItem, Loading, Section, Time, useTexts } from '@platform/kit';
import type { Session } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Shows where the member is logged in. */
export function Sessions() {
  const text = useTexts(catalogue);
  const { data, error, again } = api.useRead('auth.sessions', {});
  const end = api.useWrite('auth.end_session', { reads: ['auth.sessions'], done: text.sessionEnded });
  const ask = async ({ id, device }: Session) => {
    if (await confirm({ title: text.endSession(device), text: text.endSessionHelp, confirm: text.logOut, danger: true }))
      await end.run({ id });
  };
  const logins = data?.filter(({ kind }) => kind !== 'token') ?? [];
  return (
    <Section title={text.sessions} text={text.sessionsHelp}>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={2} /> : undefined}
      <List label={text.sessions} hasLines>
        {logins.map((session) => (
          <ListItem
            key={session.id}
            id={session.id}
            title={session.device}
            text={session.address}
            end={
              <>
                {session.current ? <Badge kind="ok">{text.thisOne}</Badge> : undefined}
                <Time iso={session.last_used_at ?? session.created_at} ago />
              </>
            }
            actions={
              session.current ? undefined : (
                <Button isSmall kind="quiet" onClick={() => void ask(session)}>
                  {text.logOut}
                </Button>
              )
            }
          />
        ))}
      </List>
    </Section>
  );
}
