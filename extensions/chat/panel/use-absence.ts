import { useState } from 'react';
import { useNotify } from '../../../tui/kit/index.js';
import type { NotInRoom, Session } from '../contract.js';
import type { PanelClient } from './api.js';

interface Absence {
  /** Notifies of people whom a sent message mentions but who are not in the room. */
  note: (sent: { not_in_room?: readonly NotInRoom[] } | undefined) => void;
  /** Adds them; undefined if there is nobody to add, or the member is no owner. */
  add: (() => Promise<void>) | undefined;
}

/** Offers an owner to add mentioned people who are not in the room. */
export function useAbsence(client: PanelClient, { id: session_id, role }: Session): Absence {
  const notify = useNotify();
  const [absent, setAbsent] = useState<readonly NotInRoom[]>([]);
  const note: Absence['note'] = (sent) => {
    const { not_in_room = [] } = sent ?? {};
    setAbsent(not_in_room);
    if (not_in_room.length === 0) return;
    const names = not_in_room.map(({ username }) => username).join(', ');
    const fix = role === 'owner' ? 'ctrl-a adds them; they can then read all of it' : 'an owner can add them';
    notify(`Not in this room: ${names}; ${fix}`);
  };
  const add = async () => {
    await client.sessions.add_member({ session_id, member_ids: absent.map(({ member_id }) => member_id) });
    notify(`Added: ${absent.map(({ username }) => username).join(', ')}`);
    setAbsent([]);
  };
  return { note, add: absent.length > 0 && role === 'owner' ? add : undefined };
}
