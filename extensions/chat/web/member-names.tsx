import { useMember } from '@platform/kit';
import type { ReactNode } from 'react';

interface MemberNamesProps {
  ids: readonly number[];
  children: (names: string[]) => ReactNode;
}

/** Looks up the names of at most three members. */
export function MemberNames({ ids: [first, second, third], children }: MemberNamesProps) {
  const known = [useMember(first), useMember(second), useMember(third)];
  const names = known.flatMap((member) => member?.nickname ?? []);
  return names.length === 0 ? null : children(names);
}
