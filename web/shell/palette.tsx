import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { announce } from '../kit/data/announce.js';
import { Icon, Keys } from '../kit/index.js';
import { type Found, type FoundGroup, useFound } from './palette-results.js';
import { useShellTexts } from './texts/index.js';

/** Finds pages, conversations, people and actions by their names, and opens what is chosen. */
export default function Palette({ close, keys }: { close: () => void; keys: () => void }) {
  const text = useShellTexts();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const groups = useFound(query, keys);
  const all = useMemo(() => groups.flatMap(({ items }) => items), [groups]);
  const [place, setPlace] = useState(0);
  const chosen = Math.min(place, all.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useCountAnnounced(query, all.length);
  const open = (found: Found | undefined) => {
    if (!found) return;
    dialog.current?.close();
    found.run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace((chosen + step + all.length) % Math.max(1, all.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(all[chosen]);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="shell-palette"
      data-react-aria-top-layer="true"
      aria-label={text.searchLabel}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      onKeyDown={onKey}
    >
      <div className="shell-palette-content">
        <div className="shell-palette-field">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-expanded={all.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={chosen >= 0 ? optionId(id, chosen) : undefined}
            aria-autocomplete="list"
            aria-label={text.searchLabel}
            placeholder={text.searchLabel}
            autoComplete="off"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setPlace(0);
            }}
          />
        </div>
        <Results id={id} groups={groups} chosen={all[chosen]} all={all} open={open} choose={setPlace} />
      </div>
    </dialog>
  );
}

const optionId = (id: string, index: number) => `${id}-${index}`;

interface ResultsProps {
  id: string;
  groups: readonly FoundGroup[];
  all: readonly Found[];
  chosen: Found | undefined;
  open: (found: Found) => void;
  choose: (index: number) => void;
}

function Results({ id, groups, all, chosen, open, choose }: ResultsProps) {
  const text = useShellTexts();
  return (
    <div id={`${id}-list`} className="shell-palette-list" role="listbox" aria-label={text.searchLabel}>
      {groups.map(({ title, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets
        <div key={title} role="group" aria-label={title}>
          <p aria-hidden="true">{title}</p>
          {items.map((found) => {
            const index = all.indexOf(found);
            const over = () => choose(index);
            return <Option key={found.id} id={optionId(id, index)} found={found} isChosen={found === chosen} open={open} over={over} />;
          })}
        </div>
      ))}
      {all.length === 0 && <p className="shell-palette-empty">{text.searchEmpty}</p>}
    </div>
  );
}

interface OptionProps {
  id: string;
  found: Found;
  isChosen: boolean;
  open: (found: Found) => void;
  over: () => void;
}

function Option({ id, found, isChosen, open, over }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      ref={element}
      id={id}
      role="option"
      aria-selected={isChosen}
      className="shell-palette-option"
      onClick={() => open(found)}
      onPointerMove={isChosen ? undefined : over}
    >
      <Icon name={found.icon} />
      <span className="shell-palette-name">
        <bdi>{found.name}</bdi>
        {found.detail && <small>{found.detail}</small>}
      </span>
      {found.keys && <Keys keys={found.keys} />}
    </div>
  );
}

const quiet_ms = 500;

/** Says how much was found, once the member pauses. */
function useCountAnnounced(query: string, count: number): void {
  const text = useShellTexts();
  useEffect(() => {
    if (query === '') return undefined;
    const timer = setTimeout(() => announce(count === 0 ? text.searchEmpty : text.searchFound(count)), quiet_ms);
    return () => clearTimeout(timer);
  }, [query, count, text]);
}
