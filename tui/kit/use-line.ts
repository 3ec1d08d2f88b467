import { harmless } from '../../kernel/client/terminal-text.js';
import { wrappedAnywhere } from './cells.js';
import { useDashboard } from './context.js';
import { charactersOf, textOf } from './typed.js';
import { useKept } from './use-kept.js';

/** A text that is being written, and the place in it. */
interface Writing {
  before: string;
  after: string;
  /** The place in the history, and the text before one looked there; undefined for a new text. */
  past?: { at: number; draft: string };
}

export interface Line {
  /** Returns the text, drawn or not yet. */
  text: () => string;
  /** The lines to draw, with `_` at the place where one writes: at most `max`, those up to that place. */
  rows: (columns: number, max: number) => string[];
  /** Takes a key; ignores one that neither writes nor moves. */
  press: (key: string) => void;
  set: (text: string) => void;
}

const empty: Writing = { before: '', after: '' };

/**
 * A text of one or more lines that is written key by key. It is our own because the inputs of @inkjs/ui take their keys past the dashboard's
 * one key handler, and know neither several lines nor a history. The up and down keys go through `history`, whose latest is last. The text is still
 * there when the view is shown again; `name` is one for the whole dashboard.
 */
export function useLine(name: string, history: readonly string[]): Line {
  const { kept } = useDashboard();
  const [shown, write] = useKept(name, empty);
  // A key may come before the one before it is drawn.
  const current = () => (kept.get(name) as Writing | undefined) ?? empty;
  const press = (key: string) => {
    const writing = current();
    const step = steps[key];
    const next = step === undefined ? edited(writing, key) : recalled(writing, history, step);
    if (next) write(next);
  };
  const text = () => current().before + current().after;
  return { text, rows: (columns, max) => rowsOf(shown, columns, max), press, set: (before) => write({ before, after: '' }) };
}

const steps: Readonly<Record<string, number>> = { up: -1, down: 1 };

function recalled({ before, after, past }: Writing, history: readonly string[], step: number): Writing | undefined {
  const at = Math.max(0, (past?.at ?? history.length) + step);
  if (at >= history.length) return past && { before: past.draft, after: '' };
  return { before: history[at] ?? '', after: '', past: { at, draft: past?.draft ?? before + after } };
}

function edited({ before, after }: Writing, key: string): Writing | undefined {
  const text = textOf(key);
  if (text !== undefined) return { before: before + text, after };
  const edit = edits[key];
  return edit?.({ before: charactersOf(before), after: charactersOf(after) });
}

/** Applies keys to a text, given as characters before and after the place. */
const edits: Readonly<Record<string, (writing: { before: string[]; after: string[] }) => Writing>> = {
  left: ({ before, after }) => joined(before.slice(0, -1), [...before.slice(-1), ...after]),
  right: ({ before, after }) => joined([...before, ...after.slice(0, 1)], after.slice(1)),
  home: ({ before, after }) => joined([], [...before, ...after]),
  end: ({ before, after }) => joined([...before, ...after], []),
  backspace: ({ before, after }) => joined(before.slice(0, -1), after),
  // Terminals send it for the backspace key.
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
