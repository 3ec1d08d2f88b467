import { useQuery } from '@tanstack/react-query';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { Role, Scope } from '../../../kernel/contract/operation.js';
import { connection } from './connection.js';
import { callOperation, keyOf } from './operations.js';
import { useValue } from './value.js';

/** The member who is logged in. */
export interface Me {
  readonly id: number;
  readonly username: string;
  readonly nickname: string;
  readonly role: Role;
  readonly scopes: readonly Scope[];
}

/** A member as pages name it. */
export interface KnownMember {
  readonly nickname: string;
  readonly username: string;
  /** Whether it is an AI employee or a plugin. */
  readonly is_virtual: boolean;
}

const fresh_ms = 5 * 60_000;
const page_size = 200;

/** Returns the member who is logged in. */
export function useMe(): Me {
  return useValue(connection().start).me;
}

/** Returns a member's names from a cache that all pages share; undefined until they are known, and for one that is gone. */
export function useMember(member_id: number | undefined): KnownMember | undefined {
  const { query } = connection();
  const { data } = useQuery(
    {
      queryKey: keyOf('members.get', { id: member_id }),
      queryFn: () => readMember(member_id as number),
      enabled: member_id !== undefined,
      staleTime: fresh_ms,
      retry: false,
    },
    query,
  );
  return data ?? undefined;
}

type Member = MembersApi['members.get']['answer'];

/** Reads a member. The first reads share one list, so that a room with many members isn't as many requests. */
async function readMember(id: number): Promise<Member | null> {
  const { query } = connection();
  const list = await query.fetchQuery({
    queryKey: ['members.directory'],
    queryFn: async () => {
      const { items } = (await callOperation('members.list', { page_size })) as { items: Member[] };
      return new Map(items.map((member) => [member.id, member]));
    },
    staleTime: fresh_ms,
  });
  return list.get(id) ?? ((await callOperation('members.get', { id })) as Member);
}
