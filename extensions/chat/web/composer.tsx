import { Button, Icon, IconButton, oneLine, Switch, useKept, useNotify, useTexts, useTyping } from '@platform/kit';
import { type ClipboardEvent, type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useState } from 'react';
import type { Message } from '../contract.js';
import { AttachedList } from './attached-list.js';
import { CompletionList } from './completion-list.js';
import { FilePicker } from './file-picker.js';
import { texts } from './texts.js';
import { type Attached, useAttachments } from './use-attachments.js';
import { useCompletion } from './use-completion.js';
import { max_length, useDraft, warn_length } from './use-draft.js';

/** Text and attachments that a person has written. */
export interface Written {
  content: string;
  attached: readonly Attached[];
  reply_to: string | undefined;
  /** Whether it joins the answer that is being written. */
  joins: boolean;
}

export interface ComposerHandle {
  focus: () => void;
  attach: (files: Iterable<File>) => void;
  replyTo: (message: Message) => void;
}

export interface ComposerProps {
  /** Name of the draft. */
  draft: string;
  /** The conversation whose members may be mentioned; undefined for one that isn't begun. */
  session_id: string | undefined;
  label: string;
  /** Whether a text may join the answer that is being written. */
  mayJoin: boolean;
  onSend: (written: Written) => void;
  /** Opens the last own message for editing; returns whether there is one. */
  onEditLast: () => boolean;
  /** Stops the answers that are being written; undefined if there is none that the member may stop. */
  onStop: (() => void) | undefined;
  ref?: Ref<ComposerHandle>;
}

/** Writes a message: text with mentions and commands, files and images. */
export function Composer({ draft: name, session_id, label, mayJoin, onSend, onEditLast, onStop, ref }: ComposerProps) {
  const text = useTexts(texts);
  const notify = useNotify();
  const draft = useDraft(name);
  const completing = useCompletion(draft, session_id);
  const typing = useTyping(session_id);
  const attachments = useAttachments(name, (file, why) => notify(text.composer.refused[why](file), { kind: 'error' }));
  const [answered, setAnswered] = useKept<{ id: string; about: string } | undefined>(`chat.reply.${name}`, undefined, { persisted: true });
  const [joins, setJoins] = useState(false);
  const { field, length } = draft;
  const isFull = length > 0 || attachments.list.some(({ state }) => state === 'ready');
  const send = () => {
    const content = field.current?.value ?? '';
    const attached = attachments.list.filter(({ state }) => state === 'ready');
    if (content.trim() === '' && attached.length === 0) return;
    if (attachments.isUploading) return notify(text.composer.stillUploading);
    if (content.length > max_length) return notify(text.composer.tooLong, { kind: 'error' });
    onSend({ content, attached, reply_to: answered?.id, joins: joins && mayJoin });
    typing.stopped();
    draft.set('');
    attachments.clear();
    setAnswered(undefined);
    setJoins(false);
  };
  const changed = () => {
    draft.changed();
    if (field.current?.value === '') typing.stopped();
    else typing.typed();
    completing.look();
  };
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (completing.takes(event)) event.preventDefault();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || (isPlain && !isTouch()))) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && isPlain && field.current?.value === '' && onEditLast()) event.preventDefault();
    else if (event.key === 'Escape' && answered) setAnswered(undefined);
  };
  useEffect(() => {
    // Whoever opens a conversation mostly writes; a keyboard on the screen would hide it.
    if (!isTouch() && !isEditing(document.activeElement)) field.current?.focus({ preventScroll: true });
  }, [field]);
  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    attach: attachments.add,
    replyTo: (message) => {
      setAnswered({ id: message.id, about: `${message.sender_name}: ${oneLine(message.content)}` });
      field.current?.focus();
    },
  }));
  const list = `chat-choices-${name}`;
  const { completion } = completing;
  return (
    <div className="chat-composer">
      {completion && <CompletionList id={list} completion={completion} onPick={completing.complete} />}
      {answered && <Answered about={answered.about} onClear={() => setAnswered(undefined)} />}
      <AttachedList list={attachments.list} onRemove={attachments.remove} />
      <textarea
        ref={draft.attach}
        className="chat-input"
        aria-label={label}
        placeholder={label}
        defaultValue={draft.initial}
        rows={1}
        aria-autocomplete="list"
        aria-controls={completion ? list : undefined}
        aria-activedescendant={completion ? `${list}-${completion.index}` : undefined}
        onChange={changed}
        onSelect={() => completion && completing.look()}
        onKeyDown={pressed}
        onPaste={(event) => pasted(event, attachments.add)}
        onBlur={completing.close}
      />
      {mayJoin && (
        <div className="chat-join">
          <Switch label={text.composer.join} checked={joins} onChange={setJoins} />
        </div>
      )}
      <div className="chat-composer-bar">
        <FilePicker onPick={attachments.add} />
        <Hint length={length} />
        {onStop && (
          <Button icon="stop" isSmall onClick={onStop}>
            {text.reply.stop}
          </Button>
        )}
        <IconButton kind="primary" icon="send" label={text.composer.send} aria-disabled={!isFull} onClick={send} />
      </div>
    </div>
  );
}

function Answered({ about, onClear }: { about: string; onClear: () => void }) {
  const text = useTexts(texts);
  return (
    <div className="chat-answered">
      <Icon name="reply" size={14} />
      <span>{about}</span>
      <IconButton isSmall icon="close" label={text.composer.noReply} onClick={onClear} />
    </div>
  );
}

function Hint({ length }: { length: number }) {
  const text = useTexts(texts);
  const warns = length > warn_length;
  return (
    <span className="chat-composer-hint" data-warns={warns || undefined}>
      {warns ? text.composer.length(length, max_length) : text.composer.hint}
    </span>
  );
}

function pasted(event: ClipboardEvent, add: (files: Iterable<File>) => void): void {
  if (event.clipboardData.files.length === 0) return;
  event.preventDefault();
  add(event.clipboardData.files);
}

function isEditing(element: Element | null): boolean {
  return element !== null && element.closest('input, textarea, [role="dialog"], [role="alertdialog"]') !== null;
}

/** Keyboards on screens have no other key for a new line. */
function isTouch(): boolean {
  return matchMedia('(pointer: coarse) and (hover: none)').matches;
}
