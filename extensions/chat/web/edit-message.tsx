import { Button, failureText, useKept, useTexts } from '@platform/kit';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Message } from '../contract.js';
import { api } from './api.js';
import { useConversation } from './conversation-context.js';
import { texts } from './texts.js';

/** A field for the new text of a message. Enter stores it, Escape leaves it as it was. */
export function EditMessage({ message }: { message: Message }) {
  const text = useTexts(texts);
  const { acts } = useConversation();
  const [draft, setDraft] = useKept(`chat.edit.${message.id}`, message.content, { persisted: true });
  const field = useRef<HTMLTextAreaElement>(null);
  const edit = api.useWrite('messages.edit');
  useEffect(() => {
    const { current: area } = field;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const leave = () => {
    setDraft(message.content);
    acts.edit(undefined);
  };
  const store = async () => {
    if (draft.trim() === '' && message.files.length + message.images.length === 0) return acts.remove(message);
    if (draft === message.content) return leave();
    if (await edit.run({ message_id: message.id, content: draft })) acts.edit(undefined);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') leave();
    else if (event.key !== 'Enter' || event.shiftKey) return;
    else void store();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="chat-edit">
      <textarea
        ref={field}
        className="chat-field chat-input"
        aria-label={text.message.edit}
        value={draft}
        rows={2}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={pressed}
      />
      {edit.error && <p className="chat-tool-error">{failureText(edit.error).title}</p>}
      <div className="chat-edit-buttons">
        <Button isSmall kind="primary" isBusy={edit.isRunning} onClick={() => void store()}>
          {text.save}
        </Button>
        <Button isSmall kind="quiet" onClick={leave}>
          {text.cancel}
        </Button>
        <span className="chat-quiet">{text.message.editHint}</span>
      </div>
    </div>
  );
}
