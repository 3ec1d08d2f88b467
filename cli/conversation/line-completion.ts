import { completeMention, type MentionCompletion, type Mentioning } from '../../kernel/client/mention-completion.js';
import { colonCompletion } from './colon-commands.js';
import { completeReference, unfinishedReference } from './file-references.js';
import type { FilePlace } from './saved-files.js';

/** Completes the text before the cursor; undefined if a tab is text there. */
export type LineCompleter = (before: string) => Promise<MentionCompletion> | undefined;

/** Returns the completer of a conversation: commands and their values, files behind an `@` and, in a room, its members. */
export function lineCompleter(place: FilePlace, mentioning?: () => Promise<Mentioning>): LineCompleter {
  return (before) => {
    const command = colonCompletion(before, place);
    if (command !== undefined) return command;
    const word = unfinishedReference(before);
    return word === undefined ? undefined : completeAfterSign(before, word, mentioning);
  };
}

async function completeAfterSign(before: string, word: string, mentioning?: () => Promise<Mentioning>): Promise<MentionCompletion> {
  const members: Mentioning = (await mentioning?.()) ?? { members: [], isOwner: false };
  const mentions = completeMention(before, members);
  const names = new Set(['room', ...members.members.map(({ username }) => username.toLowerCase())]);
  const files = await completeReference(before, (name) => names.has(name.toLowerCase()));
  return { word, matches: [...mentions.matches, ...files.matches], more: mentions.more + files.more };
}
