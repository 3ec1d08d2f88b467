import type { ReactNode } from 'react';
import { useFailureText } from '../data/index.js';
import type { IconName } from '../icons.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { useWords } from './words.js';

export interface EmptyProps {
  icon?: IconName | undefined;
  title: string;
  /** A hint what to do, or the reason. */
  text?: ReactNode;
  /** A button or a link. */
  action?: ReactNode;
}

/** Says that there is nothing here yet, and what to do about it. */
export function Empty({ icon, title, text, action }: EmptyProps) {
  return (
    <div className="kit-empty">
      {icon && <Icon name={icon} size={20} />}
      <div className="kit-empty-text">
        <p className="kit-empty-title">{title}</p>
        {text !== undefined && <p>{text}</p>}
        {action}
      </div>
    </div>
  );
}

export interface LoadingProps {
  /** Rows of the placeholder. Default 3. */
  lines?: number | undefined;
}

/** Shows a placeholder while something loads. It appears late, so that a quick answer doesn't flash. */
export function Loading({ lines = 3 }: LoadingProps) {
  const { loading } = useWords();
  return (
    <div className="kit-loading" role="status">
      <span className="kit-hidden">{loading}</span>
      {Array.from(Array(lines).keys(), (line) => (
        <span key={line} className="kit-loading-line" />
      ))}
    </div>
  );
}

export interface FailedProps {
  error: unknown;
  /** Tries once more; a button is shown for it. */
  again?: (() => void) | undefined;
}

/** Shows a failure: its headline in the member's language, the server's sentence below, a button to try again. */
export function Failed({ error, again }: FailedProps) {
  const words = useWords();
  const { title, detail } = useFailureText(error);
  return (
    <Note kind="danger" title={title} action={again && <Button onClick={again}>{words.again}</Button>}>
      {detail}
    </Note>
  );
}

export interface NoteProps {
  /** Default `info`. */
  kind?: 'info' | 'ok' | 'warn' | 'danger' | undefined;
  title?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

const noteIcons = { info: 'info', ok: 'ok', warn: 'warning', danger: 'error' } as const;

/** Shows a message in its place on the page. A `danger` is read aloud at once. */
export function Note({ kind = 'info', title, action, children }: NoteProps) {
  return (
    <div className={`kit-note kit-note-${kind}`} role={kind === 'danger' ? 'alert' : undefined}>
      <Icon name={noteIcons[kind]} />
      <div className="kit-note-text">
        {title !== undefined && <p className="kit-note-title">{title}</p>}
        {children !== undefined && <div>{children}</div>}
      </div>
      {action !== undefined && <div className="kit-actions">{action}</div>}
    </div>
  );
}
