import { harmless } from '../../kernel/client/terminal-text.js';
import { wrappedAnywhere } from './cells.js';
import { useDashboard } from './context.js';
import { charactersOf, textOf } from './typed.js';
import { useViewState } from './use-view-state.js';

/** A text being edited, split at the cursor. */
interface Writing {
  before: string;
  after: string;
  /** Position in the history, and the draft from before; undefined outside the history. */
  past?: { at: number; draft: string };
}

export interface Line {
  /** Returns the current text, even if it isn't drawn yet. */
  text: () => string;
  /** Returns the lines to draw, with `_` at the cursor: at most `max`, ending at the cursor if there are more. */
  rows: (columns: number, max: number) => string[];
  /** Applies a key; ignores one that neither edits nor moves. */
  press: (key: string) => void;
  set: (text: string) => void;
  /** Returns the text before the cursor, even if it isn't drawn yet. */
  before: () => string;
  /** Replaces a text directly before the cursor, if it is still there. */
  replace: (old: string, text: string) => void;
}

const empty: Writing = { before: '', after: '' };

/**
 * Edits a text of one or more lines. We don't use the inputs of @inkjs/ui because they bypass the dashboard's key handler, and
 * support neither several lines nor a history. The up and down keys go through `history`, newest last. The text is retained while
 * another view is shown; `name` is unique in the dashboard.
 */
export function useLine(name: string, history: readonly string[]): Line {
  const { viewState } = useDashboard();
  const [shown, write] = useViewState(name, empty);
  // A key may arrive before the previous one is drawn.
  const current = () => (viewState.get(name) as Writing | undefined) ?? empty;
  const press = (key: string) => {
    const writing = current();
    const step = steps[key];
    const next = step === undefined ? applyKey(writing, key) : recallHistory(writing, history, step);
    if (next) write(next);
  };
  const text = () => current().before + current().after;
  const replace = (old: string, next: string) => {
    const { before, after } = current();
    if (before.endsWith(old)) write({ before: before.slice(0, before.length - old.length) + next, after });
  };
  const set = (before: string) => write({ before, after: '' });
  return { text, rows: (columns, max) => rowsOf(shown, columns, max), press, set, before: () => current().before, replace };
}

const steps: Readonly<Record<string, number>> = { up: -1, down: 1 };

function recallHistory({ before, after, past }: Writing, history: readonly string[], step: number): Writing | undefined {
  const at = Math.max(0, (past?.at ?? history.length) + step);
  if (at >= history.length) return past && { before: past.draft, after: '' };
  return { before: history[at] ?? '', after: '', past: { at, draft: past?.draft ?? before + after } };
}

function applyKey({ before, after }: Writing, key: string): Writing | undefined {
  const text = textOf(key);
  if (text !== undefined) return { before: before + text, after };
  const edit = edits[key];
  return edit?.({ before: charactersOf(before), after: charactersOf(after) });
}

/** Edits by key, applied to the characters before and after the cursor. */
const edits: Readonly<Record<string, (writing: { before: string[]; after: string[] }) => Writing>> = {
  left: ({ before, after }) => joined(before.slice(0, -1), [...before.slice(-1), ...after]),
  right: ({ before, after }) => joined([...before, ...after.slice(0, 1)], after.slice(1)),
  home: ({ before, after }) => joined([], [...before, ...after]),
  end: ({ before, after }) => joined([...before, ...after], []),
  backspace: ({ before, after }) => joined(before.slice(0, -1), after),
  // Terminals send `delete` for the backspace key.
  delete: ({ before, after }) => joined(before.slice(0, -1), after),
  'ctrl-u': ({ after }) => joined([], after),
};

function joined(before: readonly string[], after: readonly string[]): Writing {
  return { before: before.join(''), after: after.join('') };
}

const prompt = '> ';

function rowsOf({ before, after }: Writing, columns: number, max: number): string[] {
  const plain = (text: string) => harmless(text).replaceAll('\t', '  ');
  const room = Math.max(1, columns - prompt.length);
  const at = wrappedAnywhere(`${plain(before)}_`, room).length;
  const all = wrappedAnywhere(`${plain(before)}_${plain(after)}`, room).map((line, index) => (index === 0 ? prompt : '  ') + line);
  const first = Math.max(0, at - max);
  return all.slice(first, first + max);
}
