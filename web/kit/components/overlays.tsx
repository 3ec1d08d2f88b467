import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { Dialog as RacDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { MenuSection, Menu as RacMenu, MenuItem as RacMenuItem } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Popover as RacPopover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { IconButton } from './button.js';
import { classes } from './classes.js';
import { Keys } from './code.js';
import type { DialogProps } from './dialog.js';
import { Icon } from './icon.js';
import type { FirstFocus, MenuEntry, MenuProps, Opening } from './menu.js';
import { useWords } from './words.js';

interface OverlayProps {
  label: string;
  placement: 'bottom start' | 'bottom end';
  opening: Opening;
}

const focusOf = { first: 'first', last: 'last', none: true } as const satisfies Record<FirstFocus, unknown>;

/** Shows the list of actions of a menu. */
export function MenuOverlay({ items, label, placement, opening }: OverlayProps & Pick<MenuProps, 'items'>) {
  const entries = items.filter((item) => item !== null);
  return (
    <RacPopover {...popoverProps({ label, placement, opening })} className="kit-popover kit-menu" trigger="MenuTrigger">
      <RacMenu
        aria-label={label}
        autoFocus={focusOf[opening.focus]}
        shouldFocusWrap
        disabledKeys={entries.filter(({ disabled }) => disabled).map(({ id }) => id)}
        onClose={opening.close}
        onAction={(id) => entries.find((entry) => entry.id === id)?.run()}
      >
        {groupsOf(items).flatMap((group, place) => {
          const shown = <Group key={group[0]?.id} entries={group} label={label} />;
          return place === 0 ? [shown] : [<Separator key={`before ${group[0]?.id}`} className="kit-menu-line" />, shown];
        })}
      </RacMenu>
    </RacPopover>
  );
}

/** Shows a small panel beside its button. */
export function PopoverOverlay({ label, placement, opening, children }: OverlayProps & { children: ReactNode }) {
  return (
    <RacPopover {...popoverProps({ label, placement, opening })} className="kit-popover">
      {/* Not a dialog of its own: the popover is one, with the hidden buttons that dismiss it within. */}
      <div className="kit-popover-content">{children}</div>
    </RacPopover>
  );
}

function popoverProps({ label, placement, opening: { button, close } }: OverlayProps) {
  const onOpenChange = (isStillOpen: boolean) => {
    if (!isStillOpen) close();
  };
  return { 'aria-label': label, triggerRef: button, isOpen: true, onOpenChange, offset: 4, placement };
}

/** Returns the entries between the lines. */
function groupsOf(items: MenuProps['items']): MenuEntry[][] {
  const groups: MenuEntry[][] = [[]];
  for (const item of items) {
    if (item === null) groups.push([]);
    else groups.at(-1)?.push(item);
  }
  return groups.filter((group) => group.length > 0);
}

function Group({ entries, label }: { entries: readonly MenuEntry[]; label: string }) {
  if (entries.every(({ isChosen }) => isChosen === undefined)) return <>{entries.map(entryOf)}</>;
  const chosen = entries.filter(({ isChosen }) => isChosen).map(({ id }) => id);
  return (
    <MenuSection aria-label={label} selectionMode="single" selectedKeys={chosen} disallowEmptySelection>
      {entries.map(entryOf)}
    </MenuSection>
  );
}

function entryOf({ id, label, icon, danger, isChosen, detail, keys }: MenuEntry) {
  return (
    <RacMenuItem key={id} id={id} textValue={label} className={classes('kit-menu-item', danger && 'kit-menu-danger')}>
      {icon && <Icon name={icon} />}
      <span className="kit-menu-text">
        {label}
        {detail && <small>{detail}</small>}
      </span>
      {keys && <Keys keys={keys} />}
      {isChosen && <Icon name="check" />}
    </RacMenuItem>
  );
}

/** Puts the focus of a form into its first empty field: who opens it wants to type. */
function focusFirst(body: HTMLElement | null): void {
  if (body === null || body.contains(document.activeElement)) return;
  const fields = [...body.querySelectorAll<HTMLInputElement>('input:not([type=checkbox], [type=radio], [type=file]), textarea')];
  fields.find(({ value, disabled, readOnly }) => value === '' && !disabled && !readOnly)?.focus();
}

/** Shows a dialog above the page. */
export function DialogOverlay({ title, isOpen, onClose, actions, onSubmit, size = 'medium', isFirm, isAlert, children }: DialogProps) {
  const { close } = useWords();
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const content = (
    <>
      <Body isForm={onSubmit !== undefined}>{children}</Body>
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

const parts = '.kit-dialog-body :is(input, textarea, button), .kit-dialog-actions button';

/** Gives the focus to a part of the dialog, unless one has taken it: in a form to its first empty field. */
function Body({ isForm, children }: { isForm: boolean; children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isForm) focusFirst(body.current);
    const dialog = body.current?.closest('.kit-dialog');
    // A field would open the keyboard of a touch screen over the dialog.
    if (!dialog || dialog.contains(document.activeElement) || matchMedia('(pointer: coarse)').matches) return;
    dialog.querySelector<HTMLElement>(parts)?.focus();
  }, [isForm]);
  return (
    <div ref={body} className="kit-dialog-body">
      {children}
    </div>
  );
}
