import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';

interface DrawerProps {
  label: string;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Shows the navigation over the page. */
export function Drawer({ label, isOpen, onOpenChange, children }: DrawerProps) {
  return (
    <ModalOverlay className="shell-drawer-backdrop" isOpen={isOpen} onOpenChange={onOpenChange} isDismissable>
      <Modal className="shell-drawer">
        <Dialog className="shell-drawer-content" aria-label={label}>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
