import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import type { IconName } from '../icons.js';
import { type ButtonKind, buttonClass } from './button.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { useOverlays } from './late-overlays.js';
import { Tooltip } from './tooltip.js';

export interface MenuEntry {
  id: string;
  label: string;
  run: () => void;
  icon?: IconName | undefined;
  /** Whether it deletes or ends something. */
  danger?: boolean | undefined;
  disabled?: boolean | undefined;
  /** Whether it is the present choice. */
  isChosen?: boolean | undefined;
  /** A second line. */
  detail?: string | undefined;
  /** Its shortcut, such as `mod+k`. */
  keys?: string | undefined;
}

interface TriggerProps {
  /** Name of the button; shown unless the button is an icon. */
  label: string;
  /** Default `more`, shown alone; with `text` beside it. */
  icon?: IconName | undefined;
  /** Content of the button, instead of an icon alone. */
  text?: ReactNode;
  /** Default `quiet`. */
  kind?: ButtonKind | undefined;
  isSmall?: boolean | undefined;
  disabled?: boolean | undefined;
}

export interface MenuProps extends TriggerProps {
  /** `null` is a line between groups. */
  items: readonly (MenuEntry | null)[];
}

/** Shows a button that opens a list of actions. A group with a chosen entry is a choice of one. */
export function Menu({ items, ...trigger }: MenuProps) {
  const opening = useOpening();
  const Shown = useOverlays(opening.isOpen, opening.close)?.MenuOverlay;
  return (
    <>
      <Trigger {...trigger} opens="menu" opening={opening} />
      {opening.isOpen && Shown && <Shown items={items} label={trigger.label} placement={placementOf(trigger)} opening={opening} />}
    </>
  );
}

export interface PopoverProps extends TriggerProps {
  /** The content, given a function that closes it. */
  children: (close: () => void) => ReactNode;
}

/** Shows a button that opens a small panel with anything in it, such as a filter or reactions. */
export function Popover({ children, ...trigger }: PopoverProps) {
  const opening = useOpening();
  const Shown = useOverlays(opening.isOpen, opening.close)?.PopoverOverlay;
  return (
    <>
      <Trigger {...trigger} opens="dialog" opening={opening} />
      {opening.isOpen && Shown && (
        <Shown label={trigger.label} placement={placementOf(trigger)} opening={opening}>
          {children(opening.close)}
        </Shown>
      )}
    </>
  );
}

/** The entry that has the focus when a menu opens; `none`: the menu itself, because it was opened by a pointer. */
export type FirstFocus = 'first' | 'last' | 'none';

/** Something that a button opens. */
export interface Opening {
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly focus: FirstFocus;
  open: (focus: FirstFocus) => void;
  close: () => void;
}

function useOpening(): Opening {
  const button = useRef<HTMLButtonElement>(null);
  const [focus, setFocus] = useState<FirstFocus>();
  const open = (next: FirstFocus) => {
    // Safari doesn't focus a button that is clicked, and the focus comes back to where it was.
    button.current?.focus();
    setFocus(next);
  };
  return { button, isOpen: focus !== undefined, focus: focus ?? 'none', open, close: () => setFocus(undefined) };
}

/** Icons stand at the end of what they belong to, so their menus open to the start. */
function placementOf({ text }: TriggerProps): 'bottom start' | 'bottom end' {
  return text === undefined ? 'bottom end' : 'bottom start';
}

interface OpenerProps extends TriggerProps {
  opens: 'menu' | 'dialog';
  opening: Opening;
}

function Trigger({ label, icon, text, kind = 'quiet', isSmall, disabled = false, opens, opening }: OpenerProps) {
  const look = buttonClass({ kind, isSmall });
  const common = {
    ref: opening.button,
    type: 'button',
    disabled,
    'aria-haspopup': opens,
    'aria-expanded': opening.isOpen,
    // A click without a pointer comes from a screen reader.
    onClick: ({ detail }: MouseEvent) => (opening.isOpen ? opening.close() : opening.open(detail === 0 ? 'first' : 'none')),
    onKeyDown: (event: KeyboardEvent) => {
      const focus = opening_keys[event.key];
      if (focus === undefined || (opens === 'dialog' && event.key.startsWith('Arrow'))) return;
      event.preventDefault();
      opening.open(focus);
    },
  } as const;
  if (text !== undefined) {
    return (
      <button {...common} className={look}>
        {icon && <Icon name={icon} />}
        {typeof text !== 'string' && <span className="kit-hidden">{label}</span>}
        <span className="kit-button-text" aria-hidden={typeof text !== 'string' || undefined}>
          {text}
        </span>
        <Icon name="down" size={14} />
      </button>
    );
  }
  return (
    <Tooltip text={label}>
      <button {...common} className={classes(look, 'kit-button-icon')} aria-label={label}>
        <Icon name={icon ?? 'more'} />
      </button>
    </Tooltip>
  );
}

/** Keys that open a menu (WAI-ARIA, menu button). React Aria would take the click that follows Enter for a screen reader's. */
const opening_keys: Readonly<Record<string, FirstFocus>> = { Enter: 'first', ' ': 'first', ArrowDown: 'first', ArrowUp: 'last' };
