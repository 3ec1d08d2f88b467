import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Go, linkAddress } from '../data/index.js';
import type { IconName } from '../icons.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { Tooltip } from './tooltip.js';

/** `primary`: the one thing to do here. `plain`: what one may do. `quiet`: without an edge, beside others. `danger`: deletes or ends. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

interface Look {
  /** Default `plain`. */
  kind?: ButtonKind | undefined;
  icon?: IconName | undefined;
  isSmall?: boolean | undefined;
}

/** Attributes of `<button>` pass through; `type` is `button` unless it is given. */
export interface ButtonProps extends ComponentProps<'button'>, Look {
  /** Whether its work is going on: it keeps its place and focus, and presses do nothing. */
  isBusy?: boolean | undefined;
}

/** Shows a button with a text. */
export function Button({ kind, icon, isSmall, isBusy, className, children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={classes(buttonClass({ kind, isSmall }), className)} {...rest} {...(isBusy && busy)}>
      {isBusy ? <span className="kit-spinner" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span className="kit-button-text">{children}</span>}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'>, Look {
  icon: IconName;
  /** Its name for screen readers and in the tooltip. */
  label: string;
  isBusy?: boolean | undefined;
  /** Whether it is switched on; leave it out for a button that is no switch. */
  isPressed?: boolean | undefined;
}

/** Shows a button that is an icon, with its name as a tooltip. */
export function IconButton({ icon, label, kind = 'quiet', isSmall, isBusy, isPressed, className, ...rest }: IconButtonProps) {
  const pressed = isPressed === undefined ? {} : { 'aria-pressed': isPressed };
  const look = classes(buttonClass({ kind, isSmall }), 'kit-button-icon', className);
  return (
    <Tooltip text={label}>
      <button type="button" aria-label={label} className={look} {...pressed} {...rest} {...(isBusy && busy)}>
        {isBusy ? <span className="kit-spinner" /> : <Icon name={icon} />}
      </button>
    </Tooltip>
  );
}

export interface LinkButtonProps extends Look {
  /** A path of the app, or with `isExternal` an address elsewhere. */
  to: string;
  /** Whether it opens in another tab, which can't reach this one. */
  isExternal?: boolean | undefined;
  children: ReactNode;
}

/** Shows a link that looks like a button: it goes somewhere and can be opened in another tab. */
export function LinkButton({ to, isExternal, kind, icon, isSmall, children }: LinkButtonProps) {
  const inside = (
    <>
      {icon && <Icon name={icon} />}
      <span className="kit-button-text">{children}</span>
    </>
  );
  const look = buttonClass({ kind, isSmall });
  if (isExternal) {
    return (
      <a className={look} href={linkAddress(to)} target="_blank" rel="noreferrer">
        {inside}
      </a>
    );
  }
  return (
    <Go className={look} to={to}>
      {inside}
    </Go>
  );
}

/** Returns the classes of a button for elements that are none of these, such as the trigger of a menu. */
export function buttonClass({ kind = 'plain', isSmall }: Look): string {
  return classes('kit-button', `kit-button-${kind}`, isSmall && 'kit-button-small');
}

/** A disabled button would lose the focus and fall silent, so a busy one only ignores presses. */
const busy = {
  'aria-busy': true,
  'aria-disabled': true,
  onClick: (event: MouseEvent) => {
    event.preventDefault();
  },
} as const;
