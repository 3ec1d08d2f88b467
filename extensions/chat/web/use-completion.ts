import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Completion, completionFor } from './completion.js';
import { useCompletionSource } from './use-completion-source.js';
import type { Draft } from './use-draft.js';

export type OpenCompletion = Completion & { index: number };

export interface Completing {
  completion: OpenCompletion | undefined;
  /** Looks what completes the text before the caret. */
  look: () => void;
  complete: (index: number) => void;
  close: () => void;
  /** Moves in the open list, takes a choice or closes it; returns whether the key was for it. */
  takes: (event: KeyboardEvent) => boolean;
}

/** Text before the caret that is looked at. */
const looked = 200;

/** Completes mentions and commands in a draft. */
export function useCompletion({ field, set }: Draft, session_id: string | undefined): Completing {
  const [completion, setCompletion] = useState<OpenCompletion>();
  const source = useCompletionSource(session_id);
  const close = () => completion && setCompletion(undefined);
  const look = () => {
    const { current: area } = field;
    if (!area || area.selectionStart !== area.selectionEnd) return close();
    const shift = Math.max(0, area.selectionStart - looked);
    const before = area.value.slice(shift, area.selectionStart);
    if (!/[@＠/]/.test(before)) return close();
    source.want();
    const found = completionFor(before, source);
    // A command stands at the very beginning.
    const isOff = found === undefined || (found.kind === 'command' && shift > 0);
    return isOff ? close() : setCompletion({ ...found, start: found.start + shift, index: 0 });
  };
  const again = useRef(look);
  again.current = look;
  // The members arrive after the first letter of a mention.
  useEffect(() => {
    if (source.members.length > 0 && document.activeElement === field.current) again.current();
  }, [source.members, field]);
  const complete = (index: number) => {
    const { current: area } = field;
    const choice = completion?.choices[index];
    if (!area || !completion || !choice) return;
    const rest = area.value.slice(area.selectionStart).replace(/^ /, '');
    const start = area.value.slice(0, completion.start) + choice.insert;
    set(start + rest, start.length);
    setCompletion(undefined);
  };
  /** Returns whether the choice is typed out already. */
  const isWritten = ({ start, choices }: Completion, index: number) => {
    const { current: area } = field;
    return area !== null && area.value.slice(start, area.selectionStart).trim() === choices[index]?.insert.trim();
  };
  const takes = ({ key, shiftKey }: KeyboardEvent) => {
    if (!completion) return false;
    const { index, choices } = completion;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next = (index + (key === 'ArrowDown' ? 1 : choices.length - 1)) % choices.length;
      setCompletion({ ...completion, index: next });
    } else if (key === 'Enter' && !shiftKey && isWritten(completion, index)) {
      // Nothing is left to complete: Enter sends.
      setCompletion(undefined);
      return false;
    } else if ((key === 'Enter' || key === 'Tab') && !shiftKey) complete(index);
    else if (key === 'Escape') setCompletion(undefined);
    else return false;
    return true;
  };
  return { completion, look, complete, close, takes };
}
