import type { ReactNode } from 'react';
import { Icon, type IconName } from '../kit/index.js';

interface MessageProps {
  icon: IconName;
  title: string;
  text: ReactNode;
  action: ReactNode;
}

/** Says in place of a page why there is none, and how to go on. */
export function Message({ icon, title, text, action }: MessageProps) {
  return (
    <div className="shell-message">
      <Icon name={icon} size={24} />
      <h1>{title}</h1>
      <p>{text}</p>
      {action}
    </div>
  );
}
