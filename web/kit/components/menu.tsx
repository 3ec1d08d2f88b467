import { type ReactNode, use } from 'react';
import { Button as RacButton } from 'react-aria-components/Button';
import { DialogTrigger, OverlayTriggerStateContext } from 'react-aria-components/Dialog';
import { MenuSection, MenuTrigger, Menu as RacMenu, MenuItem as RacMenuItem } from 'react-aria-components/Menu';
import { Popover as RacPopover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Tooltip as RacTooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import type { IconName } from '../icons.js';
import { type ButtonKind, buttonClass } from './button.js';
import { classes } from './classes.js';
import { Keys } from './code.js';
import { Icon } from './icon.js';

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
  const entries = items.filter((item) => item !== null);
  const groups = groupsOf(items);
  return (
    <MenuTrigger>
      <Trigger {...trigger} />
      <RacPopover className="kit-popover kit-menu" offset={4} placement={placementOf(trigger)}>
        <RacMenu
          aria-label={trigger.label}
          disabledKeys={entries.filter(({ disabled }) => disabled).map(({ id }) => id)}
          onAction={(id) => entries.find((entry) => entry.id === id)?.run()}
        >
          {groups.flatMap((group, place) => {
            const shown = <Group key={group[0]?.id} entries={group} label={trigger.label} />;
            return place === 0 ? [shown] : [<Separator key={`before ${group[0]?.id}`} className="kit-menu-line" />, shown];
          })}
        </RacMenu>
      </RacPopover>
    </MenuTrigger>
  );
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

export interface PopoverProps extends TriggerProps {
  /** The content, given a function that closes it. */
  children: (close: () => void) => ReactNode;
}

/** Shows a button that opens a small panel with anything in it, such as a filter or reactions. */
export function Popover({ children, ...trigger }: PopoverProps) {
  return (
    <DialogTrigger>
      <Trigger {...trigger} />
      <RacPopover className="kit-popover" offset={4} placement={placementOf(trigger)}>
        <PopoverContent>{children}</PopoverContent>
      </RacPopover>
    </DialogTrigger>
  );
}

/** Icons stand at the end of what they belong to, so their menus open to the start. */
function placementOf({ text }: TriggerProps): 'bottom start' | 'bottom end' {
  return text === undefined ? 'bottom end' : 'bottom start';
}

/** Not a dialog of its own: the popover is one, with the hidden buttons that dismiss it within. */
function PopoverContent({ children }: Pick<PopoverProps, 'children'>) {
  const state = use(OverlayTriggerStateContext);
  return <div className="kit-popover-content">{children(() => state?.close())}</div>;
}

function Trigger({ label, icon, text, kind = 'quiet', isSmall, disabled = false }: TriggerProps) {
  if (text !== undefined) {
    return (
      <RacButton className={buttonClass({ kind, isSmall })} isDisabled={disabled}>
        {icon && <Icon name={icon} />}
        {typeof text !== 'string' && <span className="kit-hidden">{label}</span>}
        <span className="kit-button-text" aria-hidden={typeof text !== 'string' || undefined}>
          {text}
        </span>
        <Icon name="down" size={14} />
      </RacButton>
    );
  }
  return (
    <TooltipTrigger delay={600} closeDelay={80}>
      <RacButton className={classes(buttonClass({ kind, isSmall }), 'kit-button-icon')} isDisabled={disabled} aria-label={label}>
        <Icon name={icon ?? 'more'} />
      </RacButton>
      <RacTooltip className="kit-tooltip" offset={6}>
        {label}
      </RacTooltip>
    </TooltipTrigger>
  );
}
