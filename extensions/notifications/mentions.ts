import type { Member, MembersService } from '../members/contract.js';
import type { Notice } from './contract.js';

/** The part of a notification for members who can see the subject. */
export type MentionContext = Pick<Notice, 'about' | 'link' | 'summary' | 'filter'>;

interface MentionSource {
  names: readonly string[];
  sender_id: number;
  /** Returns the subject's place for a member; undefined if the member can't see it. */
  contextFor: (member: Member) => Promise<MentionContext | undefined>;
}

/**
 * Notifies members of mentions, once for each place until it is read. A member who can't see the place only learns by
 * whom, once for each sender until it is read. Mentions by plugin members and AI employees are ignored.
 */
export async function mentionNotices(members: MembersService, { names, sender_id, contextFor }: MentionSource): Promise<Notice[]> {
  const sender = await members.get(sender_id);
  if (!sender || sender.is_virtual) return [];
  const people = (await members.named(names)).filter(({ id, is_virtual }) => !is_virtual && id !== sender_id);
  return Promise.all(people.map(async (member) => noticeOf(sender, member, await contextFor(member))));
}

function noticeOf(by: Member, { id }: Member, context: MentionContext | undefined): Notice {
  const shared = { to: [id], source: 'system', kind: 'mention', title: `${by.nickname} has mentioned you`, until_read: true } as const;
  if (context) return { ...shared, ...context, key: `mention ${context.link}` };
  const summary = 'In a place that you have no access to.';
  return { ...shared, about: { from_member_id: by.id }, summary, key: `mention by ${by.id}` };
}
