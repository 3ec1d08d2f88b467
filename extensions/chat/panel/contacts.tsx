import { ago, type Column, Records, useCall, usePresence } from '../../../tui/kit/index.js';
import type { Contact } from '../contract.js';
import type { Props } from './api.js';

export interface ContactsProps {
  panel: Props;
  /** Told with whom. */
  start: (contact: Contact) => void;
  height: number;
}

/** Limit of shown contacts. Those with the latest conversations come first. */
const max = 200;

/** Lists the people and AI employees that the member may talk with. */
export function Contacts({ panel: { client, clock }, start, height }: ContactsProps) {
  const { value, error } = useCall((signal) => client.contacts.list({ limit: max, offset: 0 }, { signal }), [client], {
    every_ms: 10_000,
  });
  const present = usePresence();
  const columns: Column<Contact>[] = [
    { title: 'name', value: ({ nickname }) => nickname, grow: true },
    { title: 'kind', value: ({ is_virtual, post, role }) => (is_virtual ? post || 'AI employee' : role) },
    { title: 'presence', value: ({ member_id, presence }) => present.get(member_id)?.status ?? presence },
    { title: 'last', value: ({ last_message_at }) => ago(last_message_at, clock()) },
  ];
  return (
    <Records
      rows={value}
      error={error}
      columns={columns}
      idOf={({ member_id }) => member_id}
      height={height}
      empty="There is nobody else yet"
      actions={[{ key: 'enter', label: 'talk', run: start }]}
    />
  );
}
