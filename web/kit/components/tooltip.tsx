import type { ReactElement } from 'react';
import { Focusable } from 'react-aria-components/Focusable';
import { Tooltip as RacTooltip, TooltipTrigger } from 'react-aria-components/Tooltip';

export interface TooltipProps {
  text: string;
  /** One element that can take the focus. */
  children: ReactElement;
}

/** Shows a short text beside an element that is pointed at or focused. It repeats or adds a detail; nothing must depend on it. */
export function Tooltip({ text, children }: TooltipProps) {
  return (
    <TooltipTrigger delay={600} closeDelay={80}>
      <Focusable>{children as ReactElement<object, string>}</Focusable>
      <RacTooltip className="kit-tooltip" offset={6}>
        {text}
      </RacTooltip>
    </TooltipTrigger>
  );
}
