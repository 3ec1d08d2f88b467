import { type RefObject, useEffect, useRef } from 'react';
import type { MessageListHandle } from './message-list.js';
import type { MessageWindow } from './message-window.js';

interface Jump {
  message_id: string | undefined;
  messages: MessageWindow;
  list: RefObject<MessageListHandle | null>;
  isReady: boolean;
}

/** Goes to the message of the address: in the list if it is there, else by reading the messages around it. */
export function useJump({ message_id, messages, list, isReady }: Jump): void {
  const shown = useRef(message_id);
  useEffect(() => {
    if (message_id === undefined) shown.current = undefined;
    if (!isReady || message_id === undefined || shown.current === message_id) return;
    shown.current = message_id;
    if (messages.find(message_id)) list.current?.show(message_id, { focus: true });
    else void messages.open(message_id);
  }, [message_id, messages, list, isReady]);
}
