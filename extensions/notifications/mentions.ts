import type { Member, MembersService } from '../members/contract.js';
import type { Notice } from './contract.js';

/** The part of a notice that only a member who sees the place gets. */
export type Place = Pick<Notice, 'about' | 'link' | 'summary' | 'unless'>;

interface Written {
  names: readonly string[];
  sender_id: number;
  /** Returns the place for a member; undefined if the member doesn't see it. */
  placeFor: (member: Member) => Promise<Place | undefined>;
}

/**
 * Tells people that somebody has mentioned them: one for each place until it is read. Whoever doesn't see the place is told
 * nothing but by whom, once for each sender until it is read. Plugins' own members and AI employees mention nobody.
 */
export async function mentionNotices(members: MembersService, { names, sender_id, placeFor }: Written): Promise<Notice[]> {
  const by = await members.get(sender_id);
  if (!by || by.is_virtual) return [];
  const people = (await members.named(names)).filter(({ id, is_virtual }) => !is_virtual && id !== sender_id);
  return Promise.all(people.map(async (member) => noticeOf(by, member, await placeFor(member))));
}

function noticeOf(by: Member, { id }: Member, place: Place | undefined): Notice {
  const shared = { to: [id], source: 'system', kind: 'mention', title: `${by.nickname} has mentioned you`, until_read: true } as const;
  if (place) return { ...shared, ...place, key: `mention ${place.link}` };
  const summary = 'In a place that you do not take part in.';
  return { ...shared, about: { from_member_id: by.id }, summary, key: `mention by ${by.id}` };
}
