import { useNotify } from '../data/index.js';
import { Late, useLate } from './late.js';
import { useWords } from './words.js';

/** Menus, popovers and dialogs: a fifth of the code of a conversation, which nobody needs to read and write one. */
export const overlays = new Late(() => import('./overlays.js'));

/** Returns the overlays once they are loaded. If they can't be, the member is told and `close` is called. */
export function useOverlays(isOpen: boolean, close: () => void) {
  const notify = useNotify();
  const { failed } = useWords();
  return useLate(overlays, isOpen, () => {
    notify(failed, { kind: 'error' });
    close();
  });
}
