/**
 * Everything that each page needs: data, texts, navigation, state that outlives a swap, notices, and the light components. Heavier ones are in
 * `@platform/kit/forms`, `/markdown`, `/charts` and `/terminal`.
 *
 * An attribute that HTML has keeps HTML's name (`disabled`, `required`, `checked`); ours are questions (`isBusy`, `isOpen`). `onChange` gets
 * the new value, never an event.
 */

export { AgentMark, Avatar, type AvatarProps, MemberName, type MemberNameProps, PresenceDot } from './components/avatar.js';
export { Badge, type BadgeKind, type BadgeProps, Count, type CountProps, Progress, type ProgressProps } from './components/badge.js';
export { Button, type ButtonKind, type ButtonProps, IconButton, type IconButtonProps, LinkButton } from './components/button.js';
export { Checkbox, type ChoiceProps, Switch } from './components/choice.js';
export { classes } from './components/classes.js';
export { Code, type CodeProps, CopyButton, Keys } from './components/code.js';
export { copyText } from './components/copy-text.js';
export { Dialog, type DialogProps } from './components/dialog.js';
export {
  type ControlProps,
  Field,
  type FieldProps,
  TextArea,
  type TextAreaProps,
  TextField,
  type TextFieldProps,
} from './components/field.js';
export { Fold, type FoldProps } from './components/fold.js';
export { revealed, withoutSequences } from './components/hidden-characters.js';
export { Icon, type IconProps } from './components/icon.js';
export { List, ListItem, type ListItemProps, type ListProps } from './components/list.js';
export { KitLocale } from './components/locale.js';
export { Menu, type MenuEntry, type MenuProps, Popover, type PopoverProps } from './components/menu.js';
export { Card, Facts, type FactsProps, Page, type PageProps, Section, type SectionProps } from './components/page.js';
export { scrollable } from './components/scrollable.js';
export { Split, type SplitProps } from './components/split.js';
export { Empty, type EmptyProps, Failed, type FailedProps, Loading, Note, type NoteProps } from './components/states.js';
export { Time, type TimeProps } from './components/time.js';
export { Tooltip, type TooltipProps } from './components/tooltip.js';
export { type ListPlace, VirtualList, type VirtualListHandle, type VirtualListProps } from './components/virtual-list.js';
export * from './data/index.js';
export { type IconName, icons, isIconName } from './icons.js';
