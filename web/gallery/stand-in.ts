import { QueryClient } from '@tanstack/react-query';
import { type Connection, setConnection } from '../kit/data/connection.js';
import { Kept } from '../kit/data/kept.js';
import { keyOf } from '../kit/data/operations.js';
import { Value } from '../kit/data/value.js';

const members = [
  { id: 1, nickname: 'Mara Lindqvist', username: 'mara', is_virtual: false },
  { id: 2, nickname: 'Tomás Ferreira', username: 'tomas', is_virtual: false },
  { id: 3, nickname: '陈思远', username: 'siyuan', is_virtual: false },
  { id: 4, nickname: 'Iris', username: 'iris', is_virtual: true },
];

/** Sets a connection without a server: members and their presence, and settings as the browser has them. */
export function standIn(): QueryClient {
  const query = new QueryClient();
  for (const member of members) query.setQueryData(keyOf('members.get', { id: member.id }), member);
  const presence = new Value(
    new Map([
      [1, 'online'],
      [2, 'away'],
      [3, 'dnd'],
    ]),
  );
  const start = new Value({ settings: { language: null, zone: null, theme: null }, operations: {} });
  setConnection({ prefix: '', query, kept: new Kept('gallery '), live: { presence }, start } as unknown as Connection);
  return query;
}
