import { AgentMark, useTexts } from '@platform/kit';
import { useEffect, useRef } from 'react';
import { texts } from './texts.js';
import type { OpenCompletion } from './use-completion.js';

export interface CompletionListProps {
  id: string;
  completion: OpenCompletion;
  onPick: (index: number) => void;
}

/** Shows what completes the text, above the field, which keeps the focus. */
export function CompletionList({ id, completion, onPick }: CompletionListProps) {
  const { choices, index } = completion;
  const text = useTexts(texts);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [index]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={text.composer.choices[completion.kind]} className="chat-choices" tabIndex={-1}>
      {choices.map(({ insert, label, detail, isAgent }, place) => (
        <div
          key={insert}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          className="chat-choice"
          aria-selected={place === index}
          // A click would take the focus from the field first.
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(place);
          }}
        >
          <span>
            {label} {isAgent && <AgentMark />}
          </span>
          <span className="chat-quiet">{detail}</span>
        </div>
      ))}
    </div>
  );
}
