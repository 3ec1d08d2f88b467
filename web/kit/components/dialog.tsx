import type { ReactNode } from 'react';
import { useOverlays } from './late-overlays.js';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  /** Called when a person closes it, by its button, Escape or a press outside. */
  onClose: () => void;
  /** Buttons at its end; the last one is the main one. */
  actions?: ReactNode;
  /** Makes the content a form: called when it is sent, also by Enter. The main button needs `type="submit"`. */
  onSubmit?: (() => void) | undefined;
  /** Default `medium`: 30 rem. */
  size?: 'small' | 'medium' | 'large' | undefined;
  /** Whether a press outside leaves it open, because something would be lost. */
  isFirm?: boolean | undefined;
  /** Whether it interrupts with a question that needs an answer. */
  isAlert?: boolean | undefined;
  children?: ReactNode;
}

/** Shows a dialog above the page. It holds the focus while it is open and gives it back afterwards. */
export function Dialog(props: DialogProps) {
  const Shown = useOverlays(props.isOpen, props.onClose)?.DialogOverlay;
  return Shown ? <Shown {...props} /> : null;
}
