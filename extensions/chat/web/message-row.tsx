import { Avatar, Badge, Button, Icon, MemberName, Time, useFormat, useLanguage, useMe, useTexts } from '@platform/kit';
import { Markdown } from '@platform/kit/markdown';
import { type FocusEvent, type KeyboardEvent, memo, useState } from 'react';
import type { Message } from '../contract.js';
import { Attachments } from './attachments.js';
import { clockOf } from './clock.js';
import { mayDelete, useConversation } from './conversation-context.js';
import { EditMessage } from './edit-message.js';
import { mentionedNames } from './mentions.js';
import { MessageToolbar } from './message-toolbar.js';
import { Quote } from './quote.js';
import { Reactions } from './reactions.js';
import { ReplyBody } from './reply-body.js';
import { ReplyState } from './reply-state.js';
import type { Row } from './rows.js';
import { texts } from './texts.js';

export interface MessageRowProps {
  row: Row;
  isEdited: boolean;
  /** Whether an address or a search leads here. */
  isTarget: boolean;
  /** Whether it is in a thread's panel, where there is no way into a thread. */
  isInThread: boolean;
  position: number;
}

/** Shows one message. Its toolbar exists only while it is pointed at or focused: a long conversation has no thousand buttons. */
export const MessageRow = memo(function MessageRow({ row, isEdited, isTarget, isInThread, position }: MessageRowProps) {
  const { message, isNewDay, isFirstUnread, isFollowUp } = row;
  const text = useTexts(texts);
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const keys = useKeys(message, isInThread);
  const blurred = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // A menu of the toolbar is elsewhere in the document: the toolbar stays while it is open.
    if (relatedTarget !== null && !currentTarget.contains(relatedTarget as Node)) setFocused(isInMenu(relatedTarget as HTMLElement));
  };
  return (
    <article
      className="chat-message"
      data-key={message.id}
      data-follows={isFollowUp || undefined}
      data-target={isTarget || undefined}
      data-role={message.role}
      tabIndex={-1}
      aria-posinset={position}
      aria-setsize={-1}
      aria-label={text.message.label(message.sender_name)}
      onKeyDown={keys}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={blurred}
    >
      {isNewDay && <Day iso={message.created_at} />}
      {isFirstUnread && (
        <p className="chat-unread-line">
          <span>{text.list.newMessages}</span>
        </p>
      )}
      <div className="chat-message-main">
        <div className="chat-message-side">{isFollowUp ? <Clock iso={message.created_at} /> : <SenderAvatar message={message} />}</div>
        <div className="chat-message-body">
          {!isFollowUp && (
            <header className="chat-message-head">
              <MemberName
                member_id={message.sender_id}
                name={message.sender_name}
                isVirtual={message.role === 'assistant' ? true : undefined}
              />
              <Clock iso={message.created_at} />
              {message.edited_at !== null && message.deleted_at === null && <span className="chat-quiet">{text.message.edited}</span>}
            </header>
          )}
          <Body message={message} isEdited={isEdited} />
          {!isInThread && message.reply_count > 0 && <ThreadLink message={message} />}
        </div>
        {(isPointed || isFocused) && !isEdited && message.deleted_at === null && (
          <MessageToolbar message={message} isInThread={isInThread} />
        )}
      </div>
    </article>
  );
});

function isInMenu(element: HTMLElement): boolean {
  return element.closest('.kit-popover, .kit-modal') !== null;
}

/** Keys of a focused message. */
function useKeys(message: Message, isInThread: boolean) {
  const parts = useConversation();
  const { acts, me } = parts;
  return (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const isThere = message.deleted_at === null;
    const runs: Record<string, (() => void) | false> = {
      ArrowDown: () => step(event.currentTarget, 1),
      ArrowUp: () => step(event.currentTarget, -1),
      Escape: () => document.querySelector<HTMLElement>('.chat-composer .chat-input')?.focus(),
      e: isThere && message.sender_id === me && message.role === 'user' && (() => acts.edit(message.id)),
      r: isThere && (() => acts.reply(message)),
      t: isThere && !isInThread && (() => acts.openThread(message)),
      c: isThere && (() => acts.copyText(message)),
      l: () => acts.copyLink(message),
      Delete: mayDelete(message, parts) && (() => acts.remove(message)),
    };
    const run = runs[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}

/** Focuses the last message in sight. */
export function focusLast(feed: HTMLElement): void {
  const { bottom } = feed.getBoundingClientRect();
  const all = [...feed.querySelectorAll<HTMLElement>('article[data-key]')];
  (all.findLast((one) => one.getBoundingClientRect().top < bottom) ?? all.at(-1))?.focus({ preventScroll: true });
}

/** Focuses the next message in a direction; the list draws it when it comes near. */
function step(from: HTMLElement, by: 1 | -1): void {
  const feed = from.closest('[role="feed"]');
  const all = [...(feed?.querySelectorAll<HTMLElement>('article[data-key]') ?? [])];
  const next = all[all.indexOf(from) + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function SenderAvatar({ message }: { message: Message }) {
  return <Avatar member_id={message.sender_id} name={message.sender_name} isVirtual={message.role === 'assistant' ? true : undefined} />;
}

/** Shows the time of day; the line above says the day. */
function Clock({ iso }: { iso: string }) {
  const format = useFormat();
  const language = useLanguage();
  return (
    <time className="kit-time" dateTime={iso} title={format.exact(iso)}>
      {clockOf(iso, language, format.zone)}
    </time>
  );
}

function Day({ iso }: { iso: string }) {
  const format = useFormat();
  return (
    <p className="chat-day">
      <span>{format.date(iso)}</span>
    </p>
  );
}

function Body({ message, isEdited }: { message: Message; isEdited: boolean }) {
  const text = useTexts(texts);
  if (message.deleted_at !== null) return <p className="chat-deleted">{text.message.deleted}</p>;
  if (isEdited) return <EditMessage message={message} />;
  return (
    <>
      {message.reply_to !== null && <Quote message={message} />}
      <div className="chat-text">
        {message.role === 'assistant' ? <ReplyBody message={message} /> : message.content !== '' && <Written message={message} />}
      </div>
      <Attachments images={message.images} files={message.files} />
      {message.notices.map(({ code, message: sentence }) => (
        <p key={code} className="chat-notice">
          <Icon name="info" /> {sentence}
        </p>
      ))}
      {message.role === 'assistant' && <ReplyState message={message} />}
      {message.reactions.length > 0 && <Reactions message={message} />}
    </>
  );
}

/** A pasted log or program fills screens: beyond this it is shown in part. */
const max_length = 3_000;
const max_lines = 40;

/** The text that a person has written. */
function Written({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { username } = useMe();
  const [isWhole, setWhole] = useState(false);
  const { content } = message;
  const isLong = content.length > max_length || (content.length > max_lines && content.split('\n', max_lines + 1).length > max_lines);
  const written = <Markdown text={content} mentions={{ names: mentionedNames(message), me: username }} />;
  if (!isLong) return written;
  return (
    <>
      <div className="chat-long" data-whole={isWhole || undefined}>
        {written}
      </div>
      <Button isSmall kind="quiet" icon={isWhole ? 'up' : 'down'} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? text.message.showLess : text.message.showAll}
      </Button>
    </>
  );
}

function ThreadLink({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts } = useConversation();
  return (
    <button type="button" className="chat-thread-link" onClick={() => acts.openThread(message)}>
      <Icon name="thread" />
      <Badge>{text.thread.replies(message.reply_count)}</Badge>
      {message.last_reply_at !== null && <Time iso={message.last_reply_at} ago />}
    </button>
  );
}
