import type { ReactNode } from 'react';
import type { IconName } from '../icons.js';
import { Icon } from './icon.js';
import { useWords } from './words.js';

export type BadgeKind = 'neutral' | 'info' | 'ok' | 'warn' | 'danger';

export interface BadgeProps {
  /** Default `neutral`. */
  kind?: BadgeKind | undefined;
  icon?: IconName | undefined;
  children: ReactNode;
}

/** Shows a state or a kind in a word. */
export function Badge({ kind = 'neutral', icon, children }: BadgeProps) {
  return (
    <span className={`kit-badge kit-badge-${kind}`}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </span>
  );
}

export interface CountProps {
  n: number;
  /** Whether it counts mentions, which stand out. */
  mention?: boolean | undefined;
}

const max_shown = 99;

/** Shows how much is unread; nothing for 0. */
export function Count({ n, mention }: CountProps) {
  const words = useWords();
  if (n <= 0) return null;
  return (
    <span className={mention ? 'kit-count kit-count-mention' : 'kit-count'}>
      <span aria-hidden="true">{n > max_shown ? `${max_shown}+` : n}</span>
      <span className="kit-hidden">{mention ? words.mentions(n) : words.unread(n)}</span>
    </span>
  );
}

export interface ProgressProps {
  /** From 0 to 1; undefined while nobody knows. */
  value?: number | undefined;
  /** Name of what goes on. */
  label: string;
  /** Text at the end, such as "12 of 40 MB". */
  text?: string | undefined;
}

/** Shows how far something is. */
export function Progress({ value, label, text }: ProgressProps) {
  const percent = value === undefined ? undefined : Math.round(Math.min(Math.max(value, 0), 1) * 100);
  return (
    <div className="kit-progress">
      <div
        className={percent === undefined ? 'kit-progress-bar kit-progress-unknown' : 'kit-progress-bar'}
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
      >
        <span style={percent === undefined ? {} : { inlineSize: `${percent}%` }} />
      </div>
      {text !== undefined && <span className="kit-progress-text">{text}</span>}
    </div>
  );
}
