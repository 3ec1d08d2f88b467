import { useMemo, useState } from 'react';
import {
  commonBeginning,
  completeMention,
  type Line,
  MentionableMembers,
  oneLine,
  unfinishedMention,
  useFailed,
} from '../../../tui/kit/index.js';
import type { Session } from '../contract.js';
import type { PanelClient } from './api.js';

interface Mentions {
  /** Completes the mention before the cursor; returns false if there is none. */
  complete: () => boolean;
  /** Names that are possible, for the last completion; undefined if one was enough. */
  hint: string | undefined;
  /** Forgets the hint. */
  clear: () => void;
}

/** Completes mentions of a session's members in a line. */
export function useMentions(client: PanelClient, { id: session_id, target_type, role }: Session, line: Line): Mentions {
  const [hint, setHint] = useState<string>();
  const members = useMemo(() => new MentionableMembers(() => client.sessions.members({ session_id })), [client, session_id]);
  const failed = useFailed();
  const complete = async () => {
    const mentioning = { members: await members.list(), isOwner: target_type === 'room' && role === 'owner' };
    const { word, matches, more } = completeMention(line.before(), mentioning);
    const common = commonBeginning(matches);
    if (common.length >= word.length && common !== '') line.replace(word, common);
    const names = matches.map((match) => match.trim()).join(' ');
    if (matches.length === 1) setHint(undefined);
    else setHint(matches.length === 0 ? `Nobody here is called ${oneLine(word)}…` : `${names}${more > 0 ? ` and ${more} more` : ''}`);
  };
  const start = () => {
    if (unfinishedMention(line.before()) === undefined) return false;
    complete().catch(failed);
    return true;
  };
  return { complete: start, hint, clear: () => setHint(undefined) };
}
