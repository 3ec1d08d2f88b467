import { useMe, useTexts } from '@platform/kit';
import { useMemo, useState } from 'react';
import type { Session } from '../contract.js';
import { api, sessions_input } from './api.js';
import type { CompletionSource } from './completion.js';
import { texts } from './texts.js';

const commands = ['help', 'tools', 'call', 'skills', 'run', 'schedule'] as const;

/** Returns what may complete a text in a conversation. Its members are read when they are first wanted. */
export function useCompletionSource(session_id: string | undefined): CompletionSource & { want: () => void } {
  const text = useTexts(texts);
  const me = useMe().id;
  const [isWanted, setWanted] = useState(false);
  const { data } = api.useRead('sessions.members', { session_id: session_id ?? '' }, { enabled: isWanted && session_id !== undefined });
  const session = session_id === undefined ? undefined : cachedSession(session_id);
  const isOwner = session?.target_type === 'room' && session.role === 'owner';
  const hasAgent =
    session === undefined ||
    session.target_type === 'ai' ||
    (session.target_type === 'room' && (data?.some((one) => one.is_virtual) ?? false));
  return useMemo(
    () => ({
      members: data?.filter(({ member_id, username }) => member_id !== me && username !== '') ?? [],
      everybody: isOwner ? { name: 'room', detail: text.composer.everybody } : undefined,
      commands: hasAgent ? commands.map((name) => [name, text.composer.commands[name]] as const) : [],
      want: () => setWanted(true),
    }),
    [data, me, isOwner, hasAgent, text],
  );
}

function cachedSession(session_id: string): Session | undefined {
  return api
    .cached('sessions.list', sessions_input)
    .get()
    ?.find(({ id }) => id === session_id);
}
