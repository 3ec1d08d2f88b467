import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { Message, Session } from '../contract.js';
import type { LiveReply } from './live-reply.js';
import type { Approval } from './records.js';
import type { SessionFeed } from './session-feed.js';

/** State that the parts of a conversation share. It stays the same object while the session's record doesn't change. */
export interface ConversationParts {
  session: Session;
  me: number;
  feed: SessionFeed;
  acts: MessageActs;
}

/** Actions of a person on a message. */
export interface MessageActs {
  reply: (message: Message) => void;
  openThread: (message: Message) => void;
  edit: (message_id: string | undefined) => void;
  remove: (message: Message) => void;
  react: (message: Message, emoji: string) => void;
  copyText: (message: Message) => void;
  copyLink: (message: Message) => void;
  report: (message: Message) => void;
  /** Asks again for a reply that failed or was stopped. */
  retry: (message: Message) => void;
  stop: (message: Message) => void;
  show: (message_id: string) => void;
  copyConversationLink: () => void;
  /** Shows a failure as a notice. */
  failed: (error: unknown) => void;
}

const Conversation = createContext<ConversationParts | undefined>(undefined);

export const ConversationProvider = Conversation.Provider;

export function useConversation(): ConversationParts {
  const parts = useContext(Conversation);
  if (!parts) throw new Error('Outside of a conversation');
  return parts;
}

/** Returns the reply with that id if it is, or was, followed while it was written. */
export function useLiveReply(message_id: string): LiveReply | undefined {
  const { feed } = useConversation();
  const subscribe = useCallback((listener: () => void) => feed.onReply(message_id, listener), [feed, message_id]);
  return useSyncExternalStore(subscribe, () => feed.reply(message_id));
}

/** Returns what waits for a decision on a tool call. */
export function useApprovalOf(tool_call_id: string): Approval | undefined {
  const { feed } = useConversation();
  return useSyncExternalStore(feed.subscribe, () => feed.state().approvals.find((approval) => approval.tool_call_id === tool_call_id));
}

/** Returns whether the member may decide: in a room only who asked. */
export function mayDecide({ requested_by }: Approval, { session, me }: Pick<ConversationParts, 'session' | 'me'>): boolean {
  return session.target_type !== 'room' || requested_by === me;
}

/** Returns whether the member may delete a message. */
export function mayDelete({ sender_id, role, deleted_at }: Message, { session, me }: Pick<ConversationParts, 'session' | 'me'>): boolean {
  if (deleted_at !== null) return false;
  if (sender_id === me || (session.target_type === 'room' && session.role === 'owner')) return true;
  return role === 'assistant' && session.target_type === 'ai' && session.created_by === me;
}
