import { useSyncExternalStore } from 'react';

/** A dialog of the chat that is open. */
export type OpenDialog =
  | { kind: 'new' }
  | { kind: 'room' }
  | { kind: 'browse' }
  | { kind: 'notices' }
  | { kind: 'report'; message_id: string; sender_name: string }
  | { kind: 'export'; session_id: string; title: string };

let open: OpenDialog | undefined;
const listeners = new Set<() => void>();

/** Opens a dialog from anywhere in the chat; undefined closes it. */
export function openDialog(dialog: OpenDialog | undefined): void {
  open = dialog;
  for (const listener of listeners) listener();
}

export function useOpenDialog(): OpenDialog | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}
