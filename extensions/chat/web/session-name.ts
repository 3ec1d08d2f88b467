import { useMember, useTexts } from '@platform/kit';
import type { Session } from '../contract.js';
import { texts } from './texts.js';

/** Length at which the server cuts the first message for a title. */
const cut_length = 40;

/** Returns the name of a conversation for its reader: of a person's the partner, of others the title. */
export function useSessionName({ title, target_type, target_id }: Pick<Session, 'title' | 'target_type' | 'target_id'>): string {
  const text = useTexts(texts);
  const partner = useMember(
    target_type === 'member' || (target_type === 'ai' && title === '') ? Number(target_id) || undefined : undefined,
  );
  if (target_type === 'member') return partner?.nickname ?? title;
  if (title !== '') return Array.from(title).length === cut_length ? `${title}…` : title;
  return target_type === '' ? text.notes : (partner?.nickname ?? text.conversation.untitled);
}

/** Returns to whom one writes in a conversation: the partner, or the room; empty for notes. */
export function useAddressee({ title, target_type, target_id }: Pick<Session, 'title' | 'target_type' | 'target_id'>): string {
  const partner = useMember(target_type === 'member' || target_type === 'ai' ? Number(target_id) || undefined : undefined);
  if (target_type === 'room') return title;
  return target_type === '' ? '' : (partner?.nickname ?? '');
}
