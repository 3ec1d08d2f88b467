import { type Attached, describeAttachment, readAttachment } from '../../kernel/client/attachments.js';
import { isYes } from '../ask.js';
import type { Context } from '../command.js';
import { UsageError } from '../exit.js';
import type { Conversation } from './conversation.js';
import { findReferences } from './file-references.js';

export interface MessageFilesParts {
  conversation: Conversation;
  context: Pick<Context, 'interrupts' | 'signal'>;
  /** Returns whether a name is a member's. */
  isMember: (name: string) => Promise<boolean>;
  ask: (question: string, signal: AbortSignal) => Promise<string>;
  say: (line: string) => void;
}

/** A message whose files are uploaded. */
export interface ReadyMessage {
  content: string;
  attached: Attached;
}

/**
 * Uploads the files of a message: those that it names, and those attached before. Says which they are. Asks first if a text of several lines
 * names some, or if one is hidden or outside of the current folder: the text may be pasted from elsewhere. Fails if the person declines or
 * presses Ctrl-C.
 */
export async function prepareMessage(
  text: string,
  { conversation, context, isMember, ask, say }: MessageFilesParts,
): Promise<ReadyMessage> {
  const { content, files } = await findReferences(text, isMember);
  const named = [];
  for (const { path } of files) named.push(await readAttachment(path));
  const attachments = [...conversation.attachments, ...named];
  if (attachments.length === 0) return { content, attached: {} };
  say(`With this message: ${attachments.map(describeAttachment).join(', ')}`);
  const stopping = new AbortController();
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const release = context.interrupts.handle(() => stopping.abort(new UsageError('Nothing was sent')));
  try {
    const asksFirst = files.some(({ isUnusual }) => isUnusual) || (files.length > 0 && text.includes('\n'));
    if (asksFirst && !isYes(await ask(questionAbout(files.length), signal))) throw new UsageError('Nothing was sent');
    return { content, attached: await conversation.upload(attachments, signal) };
  } finally {
    release();
  }
}

function questionAbout(count: number): string {
  return count === 1 ? 'The message names this file. Send it? [y/n] ' : 'The message names these files. Send them? [y/n] ';
}
