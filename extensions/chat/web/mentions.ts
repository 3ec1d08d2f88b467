import type { Message } from '../contract.js';

/** Returns the names that a message mentions, as its text has them. */
export function mentionedNames({ content, mentions }: Pick<Message, 'content' | 'mentions'>): string[] {
  return mentions.map(({ offset, length }) => content.slice(offset + 1, offset + length));
}

/** A member that a mention may name. */
export interface Mentionable {
  username: string;
  nickname: string;
  is_virtual: boolean;
}

const unfinished = /(?:^|[^\p{L}\p{N}_.@＠/:-]|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])([@＠][\p{L}\p{N}._-]*)$/u;
const max_matches = 8;

/** Returns the unfinished mention at the end of a text. */
export function mentionBefore(before: string): string | undefined {
  return unfinished.exec(before)?.[1];
}

/** Returns the members whose user name or name begins like the word; those of the user name first. */
export function matchMembers(word: string, members: readonly Mentionable[]): Mentionable[] {
  const wanted = word.slice(1).toLowerCase();
  const ranked = members.flatMap((member) => {
    const username = member.username.toLowerCase();
    const names = member.nickname.toLowerCase();
    const rank = username.startsWith(wanted) ? 0 : names.startsWith(wanted) ? 1 : names.includes(` ${wanted}`) ? 2 : undefined;
    return rank === undefined ? [] : [{ member, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank || (a.member.username < b.member.username ? -1 : 1))
    .slice(0, max_matches)
    .map(({ member }) => member);
}
