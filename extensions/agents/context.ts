import type { Message } from '../chat/contract.js';
import type { Mode, VirtualMember } from '../members/contract.js';
import type { Prompt } from './prompt.js';

/** Earlier messages that are looked at, at most. */
export const history_limit = 200;
/** What a conversation may take of a model's window, roughly counted. */
const budget_tokens = 12_000;

const modes: Record<Mode, string> = {
  assistant: 'You may look things up by yourself; you ask before you change anything.',
  supervised: 'You ask before each step that goes beyond answering.',
  autonomous: 'You work by yourself and ask only before something dangerous.',
};

/** Who the AI employee is, and as much of the latest conversation as fits. */
export function promptsOf(employee: VirtualMember, history: readonly Message[], today: string): Prompt[] {
  const system = instructions(employee, today);
  const prompts: Prompt[] = [];
  let left = budget_tokens - tokensOf(system);
  for (const message of [...history].reverse()) {
    const prompt = promptOf(message);
    left -= prompt ? tokensOf(prompt.content) : 0;
    // The message to answer is always there, however long.
    if (left < 0 && prompts.length > 0) break;
    if (prompt) prompts.unshift(prompt);
  }
  while (prompts[0]?.role === 'assistant') prompts.shift();
  return [{ role: 'system', content: system }, ...prompts];
}

function instructions({ name, post, mode }: VirtualMember, today: string): string {
  return [
    `You are ${name}, an AI employee on your organisation's work platform.`,
    post && `Your post: ${post}.`,
    modes[mode],
    'Answer in the language in which you are asked, and say so when you do not know something.',
    `Today is ${today.slice(0, 10)}.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function promptOf({ role, content }: Message): Prompt | undefined {
  if (content === '') return undefined;
  if (role === 'user') return { role, content };
  return role === 'assistant' ? { role, content } : undefined;
}

/** A rough count that errs high: four characters of ASCII a token, any other character one. */
export function tokensOf(text: string): number {
  const other = text.replace(/[ -~\s]/g, '').length;
  return 4 + other + Math.ceil((text.length - other) / 4);
}
