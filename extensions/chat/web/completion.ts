import { type Mentionable, matchMembers, mentionBefore } from './mentions.js';

/** Something that completes what is typed. */
export interface Choice {
  /** Text that replaces the word before the caret. */
  insert: string;
  label: string;
  detail: string;
  isAgent?: boolean;
}

export interface Completion {
  kind: 'mention' | 'command';
  /** Start of the word that is replaced. */
  start: number;
  choices: readonly Choice[];
}

export interface CompletionSource {
  members: readonly Mentionable[];
  /** Word for everybody in a room, with its explanation; only for those who may use it. */
  everybody: { name: string; detail: string } | undefined;
  /** Commands for AI employees, with their explanations. */
  commands: readonly (readonly [name: string, detail: string])[];
}

/** The mentions before a command name the AI employees that run it. */
const command = /^(?:[@＠]\S+\s+)*(\/[a-z]*)$/i;

/** Returns what may complete the text before the caret; undefined if nothing does. */
export function completionFor(before: string, { members, everybody, commands }: CompletionSource): Completion | undefined {
  const word = mentionBefore(before);
  if (word !== undefined) {
    const all = everybody?.name.startsWith(word.slice(1).toLowerCase()) ? [everybody] : [];
    const choices = [
      ...matchMembers(word, members).map(({ username, nickname, is_virtual }) => ({
        insert: `@${username} `,
        label: nickname,
        detail: `@${username}`,
        isAgent: is_virtual,
      })),
      ...all.map(({ name, detail }) => ({ insert: `@${name} `, label: `@${name}`, detail })),
    ];
    return choices.length === 0 ? undefined : { kind: 'mention', start: before.length - word.length, choices };
  }
  const typed = command.exec(before)?.[1];
  if (typed === undefined) return undefined;
  const found = commands.filter(([name]) => name.startsWith(typed.slice(1).toLowerCase()));
  const choices = found.map(([name, detail]) => ({ insert: `/${name} `, label: `/${name}`, detail }));
  return choices.length === 0 ? undefined : { kind: 'command', start: before.length - typed.length, choices };
}
