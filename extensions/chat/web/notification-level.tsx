import { Button, Failed, Time, useTexts } from '@platform/kit';
import { Select } from '@platform/kit/forms';
import type { NotificationLevel as Level, Session } from '../contract.js';
import { api, sessions_input } from './api.js';
import { texts } from './texts.js';

const hour_ms = 60 * 60_000;

/** Chooses which messages of a conversation notify the member, and mutes it for a while. */
export function NotificationLevel({ session }: { session: Session }) {
  const text = useTexts(texts);
  const change = api.useWrite('sessions.notifications');
  const { level, muted_until } = session.notifications;
  const isMuted = muted_until !== null && Date.parse(muted_until) > Date.now();
  const run = async (changes: { level?: Level; muted_until?: string | null }) => {
    const notifications = await change.run({ session_id: session.id, ...changes });
    if (!notifications) return;
    api.cached('sessions.get', { session_id: session.id }).set((before) => ({ ...before, notifications }));
    api
      .cached('sessions.list', sessions_input)
      .set((all) => all.map((one: Session) => (one.id === session.id ? { ...one, notifications } : one)));
  };
  const mute = (hours: number) => void run({ muted_until: new Date(Date.now() + hours * hour_ms).toISOString() });
  return (
    <section className="chat-form">
      <Select
        label={text.notifications.label}
        value={level}
        onChange={(next) => void run({ level: next as Level })}
        options={(['all', 'mentions', 'none'] as const).map((id) => ({ id, label: text.notifications.levels[id] }))}
      />
      <div className="chat-edit-buttons">
        {isMuted ? (
          <>
            <span className="chat-quiet">
              {text.notifications.mutedUntil} <Time iso={muted_until} />
            </span>
            <Button isSmall onClick={() => void run({ muted_until: null })}>
              {text.notifications.unmute}
            </Button>
          </>
        ) : (
          <>
            <Button isSmall kind="quiet" icon="bell-off" onClick={() => mute(1)}>
              {text.notifications.muteHour}
            </Button>
            <Button isSmall kind="quiet" onClick={() => mute(24)}>
              {text.notifications.muteDay}
            </Button>
          </>
        )}
      </div>
      {change.error && <Failed error={change.error} />}
    </section>
  );
}
