import type { ReactNode } from 'react';
import { ago, type Column, Records, useKeys } from '../../../tui/kit/index.js';
import type { Message } from '../contract.js';
import type { Props } from './api.js';
import { repliesOf, textOf } from './lines.js';

export interface ThreadsProps {
  panel: Props;
  /** Messages outside of threads, oldest first. */
  messages: readonly Message[] | undefined;
  /** Draws a thread by its first message. */
  thread: (message: Message) => ReactNode;
  close: () => void;
  height: number;
}

/** Lists messages, the latest first, to read the thread of one or to begin it. */
export function Threads({ panel, messages, thread, close, height }: ThreadsProps) {
  const { clock, focused } = panel;
  useKeys([{ key: 'esc', label: 'back', run: close }], focused);
  const columns: Column<Message>[] = [
    { title: 'from', value: ({ sender_name }) => sender_name },
    { title: 'message', value: textOf, grow: true },
    { title: 'thread', value: repliesOf },
    { title: 'at', value: ({ last_reply_at, created_at }) => ago(last_reply_at ?? created_at, clock()) },
  ];
  return (
    <Records
      rows={messages?.toReversed()}
      columns={columns}
      idOf={({ id }) => id}
      height={height}
      empty="No message yet"
      details={thread}
    />
  );
}
