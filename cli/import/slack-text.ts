import type { Emoji } from './emoji.js';
import { isObject, objectsOf, textOf } from './json.js';
import { outsideCode } from './text.js';

/** Names of what a text refers to by its id. */
export interface SlackNames {
  /** Returns the user name on the platform, or the name of somebody who is no member. */
  user: (id: string) => string | undefined;
  channel: (id: string) => string | undefined;
}

const reference = /<([^<>\n]*)>/g;
const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Turns a text of Slack into Markdown: references into names, its own marks of bold and struck text, entities, and names of emoji. */
export function markdownOf(text: string, names: SlackNames, emoji: Emoji): string {
  const plain = (part: string) => part.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] as string);
  const marked = outsideCode(text, (part) => marks(part).replace(reference, (whole, inner: string) => referenceOf(inner, names) ?? whole));
  return plain(emoji.inText(marked)).trimEnd();
}

/** Doubles the marks of bold and struck text, as Markdown has them. Text between angle brackets stays. */
function marks(text: string): string {
  return text
    .split(/(<[^<>\n]*>)/)
    .map((part, at) => (at % 2 === 1 ? part : doubled(part)))
    .join('');
}

function doubled(text: string): string {
  return text.replace(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '**$1**').replace(/(?<![\w~])~(?=\S)([^~\n]*\S)~(?![\w~])/g, '~~$1~~');
}

/** Returns what stands for a reference; undefined if it is none. */
function referenceOf(inner: string, names: SlackNames): string | undefined {
  const [target, label] = split(inner);
  const id = target.slice(1);
  if (target.startsWith('@')) return `@${names.user(id) ?? (label || 'deleted-member')}`;
  if (target.startsWith('#')) return `#${names.channel(id) ?? (label || 'unknown-channel')}`;
  if (target.startsWith('!')) return commandOf(id, label);
  if (!/^(?:https?|mailto|tel|slack):/i.test(target)) return undefined;
  const address = target.replace(/^(?:mailto|tel):/i, '');
  return label === '' || label === target || label === address ? address : `[${label.replace(/[[\]]/g, '\\$&')}](${target})`;
}

function commandOf(command: string, label: string): string {
  if (['here', 'channel', 'everyone'].includes(command)) return `@${command}`;
  if (command.startsWith('subteam^')) return label.startsWith('@') ? label : `@${label || 'group'}`;
  return label || command.split('^')[0] || '';
}

function split(inner: string): [string, string] {
  const at = inner.indexOf('|');
  return at === -1 ? [inner, ''] : [inner.slice(0, at), inner.slice(at + 1)];
}

const max_depth = 20;

/** Returns the text of a message that has none of its own: that of its blocks, then of its attachments. */
export function textOfParts(blocks: unknown, attachments: unknown): string {
  const own = objectsOf(blocks)
    .map((block) => textOfBlock(block, 0))
    .filter((text) => text !== '');
  const attached = objectsOf(attachments).map(({ pretext, title, text, fallback }) => {
    const parts = [pretext, title, text].map(textOf).filter((part) => part !== '');
    return parts.length > 0 ? parts.join('\n') : textOf(fallback);
  });
  return [...own, ...attached].filter((text) => text !== '').join('\n\n');
}

/** Returns the texts within a block, in their order. */
function textOfBlock(block: unknown, depth: number): string {
  if (typeof block === 'string') return block;
  if (!isObject(block) || depth > max_depth) return '';
  if (typeof block.text === 'string') return block.text;
  if (block.type === 'user' && typeof block.user_id === 'string') return `<@${block.user_id}>`;
  if (block.type === 'channel' && typeof block.channel_id === 'string') return `<#${block.channel_id}>`;
  if (block.type === 'emoji' && typeof block.name === 'string') return `:${block.name}:`;
  if (block.type === 'link' && typeof block.url === 'string') return `<${block.url}>`;
  const inner = [
    block.text,
    ...(Array.isArray(block.fields) ? block.fields : []),
    ...(Array.isArray(block.elements) ? block.elements : []),
  ];
  const separator = block.type === 'rich_text_section' || block.type === 'rich_text_preformatted' ? '' : '\n';
  return inner
    .map((part) => textOfBlock(part, depth + 1))
    .filter((text) => text !== '')
    .join(separator);
}
