import { type IconName, icons, isIconName } from '../icons.js';

export interface IconProps {
  /** A name of the vocabulary; other texts, such as a plugin's, show the icon of plugins. */
  name: IconName | (string & {});
  /** Pixels. Default 16. */
  size?: 14 | 16 | 20 | 24 | undefined;
  /** Name for screen readers. Default: none, because a text beside the icon says it. */
  label?: string | undefined;
}

/** Shows an icon of the vocabulary in the colour of the text around it. */
export function Icon({ name, size = 16, label }: IconProps) {
  const Picture = icons[isIconName(name) ? name : 'plugin'];
  const spoken = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Picture className="kit-icon" size={size} strokeWidth={size > 16 ? 1.5 : 1.75} focusable="false" {...spoken} />;
}
