import { type ReactNode, useState } from 'react';
import { Icon } from './icon.js';

export interface FoldProps {
  /** The line that is always there. */
  title: ReactNode;
  /** Text at the end of that line. */
  end?: ReactNode;
  /** Whether it is open; leave it out to let the fold remember it itself. */
  isOpen?: boolean | undefined;
  onToggle?: ((isOpen: boolean) => void) | undefined;
  children: ReactNode;
}

/** Shows a line that opens and closes what lies below. What is closed is not rendered, however long it is. */
export function Fold({ title, end, isOpen, onToggle, children }: FoldProps) {
  const [isOwnOpen, setOwnOpen] = useState(false);
  const isShown = isOpen ?? isOwnOpen;
  const toggle = () => {
    setOwnOpen(!isShown);
    onToggle?.(!isShown);
  };
  return (
    <div className="kit-fold">
      <button type="button" className="kit-fold-head" aria-expanded={isShown} onClick={toggle}>
        <Icon name={isShown ? 'down' : 'right'} size={14} />
        <span className="kit-fold-title">{title}</span>
        {end !== undefined && <span className="kit-fold-end">{end}</span>}
      </button>
      {isShown && <div className="kit-fold-body">{children}</div>}
    </div>
  );
}
