import { mention_sign } from '../contract/mentions.js';

/** A member of a session, as `sessions.members` lists it. */
export interface Mentionable {
  username: string;
}

export interface MentionCompletion {
  /** The text at the cursor that a match replaces: `@` and the beginning of a name. */
  word: string;
  /** Names that begin like the word, with `@` and a space behind; sorted, at most {@link max_matches}. */
  matches: string[];
  /** Number of further names that are left out. */
  more: number;
}

export interface Mentioning {
  members: readonly Mentionable[];
  /** Whether the member may mention everybody. */
  isOwner: boolean;
}

/** A room may have thousands of members; a list of so many helps nobody. */
const max_matches = 20;
/** The beginning of a mention at the end of a text. */
const unfinished = new RegExp(`${mention_sign}[A-Za-z0-9._-]*$`, 'u');
const mentionable = /^[A-Za-z0-9._-]{2,64}$/;

/** Returns the unfinished mention at the end of a text; undefined if there is none. */
export function unfinishedMention(before: string): string | undefined {
  return unfinished.exec(before)?.[0];
}

/** Completes the mention at the end of a text, in any case, to user names of a session; `@room` for owners. */
export function completeMention(before: string, { members, isOwner }: Mentioning): MentionCompletion {
  const word = unfinishedMention(before);
  if (word === undefined) return { word: '', matches: [], more: 0 };
  const wanted = word.slice(1).toLowerCase();
  const names = [...(isOwner ? ['room'] : []), ...members.map(({ username }) => username).filter((name) => mentionable.test(name))];
  const found = [...new Set(names)].filter((name) => name.toLowerCase().startsWith(wanted)).sort();
  return { word, matches: found.slice(0, max_matches).map((name) => `@${name} `), more: Math.max(0, found.length - max_matches) };
}

/** Returns the longest common beginning of texts, in any case, as the first one has it. */
export function commonBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length -= 1;
  return first.slice(0, length);
}
