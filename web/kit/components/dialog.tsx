import type { FormEvent, ReactNode } from 'react';
import { Dialog as RacDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { IconButton } from './button.js';
import { useWords } from './words.js';

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
export function Dialog({ title, isOpen, onClose, actions, onSubmit, size = 'medium', isFirm, isAlert, children }: DialogProps) {
  const { close } = useWords();
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const content = (
    <>
      <div className="kit-dialog-body">{children}</div>
      {actions !== undefined && <div className="kit-dialog-actions">{actions}</div>}
    </>
  );
  return (
    <ModalOverlay
      className="kit-backdrop"
      isOpen={isOpen}
      onOpenChange={(isStillOpen) => {
        if (!isStillOpen) onClose();
      }}
      isDismissable={!isFirm && !isAlert}
    >
      <Modal className={`kit-modal kit-modal-${size}`}>
        <RacDialog className="kit-dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <header className="kit-dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton icon="close" label={close} onClick={onClose} />
          </header>
          {onSubmit ? (
            <form className="kit-dialog-form" onSubmit={send}>
              {content}
            </form>
          ) : (
            content
          )}
        </RacDialog>
      </Modal>
    </ModalOverlay>
  );
}
