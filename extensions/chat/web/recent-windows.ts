import type { Message } from '../contract.js';
import { api } from './api.js';
import { page_length, type WindowState } from './message-window.js';

/** Conversations whose latest messages are shown at once when they are opened again. */
const max_windows = 12;

const recent = new Map<string, WindowState>();

/** Remembers the latest messages of a conversation that is left. */
export function rememberWindow(session_id: string, state: WindowState): void {
  recent.delete(session_id);
  if (state.phase !== 'ready' || state.hasNewer || state.messages.length === 0) return;
  const messages = state.messages.slice(-page_length);
  recent.set(session_id, { ...state, messages, hasOlder: state.hasOlder || messages.length < state.messages.length });
  for (const [oldest] of recent) if (recent.size > max_windows) recent.delete(oldest);
}

/** Returns the latest messages as they were when the conversation was left. */
export function recallWindow(session_id: string): WindowState | undefined {
  const found = recent.get(session_id);
  return found && { ...found, reading: undefined, error: undefined, shift: false, generation: 1 };
}

let early: { session_id: string; messages: Promise<Message[]> } | undefined;

/** Asks for the latest messages of a conversation while its record is still on its way. */
export function askEarly(session_id: string): void {
  const messages = api.call('messages.list', { session_id, threads: 'roots', limit: page_length });
  messages.catch(() => undefined);
  early = { session_id, messages };
}

/** Returns the messages that were asked for early, once. */
export function takeEarly(session_id: string): Promise<Message[]> | undefined {
  const taken = early?.session_id === session_id ? early.messages : undefined;
  early = undefined;
  return taken;
}
