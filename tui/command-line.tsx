import { useState } from 'react';
import { type Ask, describeId, idOf } from '../kernel/client/references.js';
import { failures, isFailure } from '../kernel/contract/failure.js';
import type { ReferenceKind } from '../kernel/contract/manifest.js';
import { overlay_depth } from './help.js';
import { fit, oneLine } from './kit/cells.js';
import { Depth, useDashboard, useSpace } from './kit/context.js';
import type { Opened } from './kit/panel.js';
import { Text } from './kit/text.js';
import { typed } from './kit/typed.js';
import { useTyping } from './kit/use-keys.js';
import { type View, viewsNamed } from './panels.js';

export interface CommandLineProps {
  views: readonly View[];
  ask: Ask;
  go: (name: string, record?: Opened) => void;
  /** Shows a message of any length in an overlay. */
  showMessage: (text: string) => void;
  quit: () => void;
  close: () => void;
}

/** Reads `:` and a prefix of a view's name; tab completes, enter goes there. A name or an id after it opens a record. */
export function CommandLine(props: CommandLineProps) {
  return (
    <Depth value={overlay_depth}>
      <Line {...props} />
    </Depth>
  );
}

function Line({ views, ask, go, showMessage, quit, close }: CommandLineProps) {
  const { columns } = useSpace();
  const { notify, failed } = useDashboard();
  const [text, setText] = useState('');
  const { found, name } = parseCommand(views, text);
  const open = ({ name: view, panel }: View) => {
    const refuse = (thrown: unknown) =>
      isFailure(thrown) && thrown.message.length >= columns ? showMessage(thrown.message) : failed(thrown);
    if (panel.opens === undefined) {
      go(view);
      notify(`The view '${oneLine(view)}' can't open records by name`);
      return;
    }
    findRecord(panel.opens, name, ask).then((record) => go(view, record), refuse);
  };
  const enter = () => {
    close();
    if (['q', 'quit'].includes(text.trim())) quit();
    else if (found[0] && name !== '') open(found[0]);
    else if (found[0]) go(found[0].name);
    else if (text.trim() !== '') notify(`There is no view '${text.trim()}'`, 'error');
  };
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (key === 'esc') close();
    else if (key === 'enter') enter();
    else if (key === 'tab') setText(name === '' ? (found[0]?.name ?? text) : text);
    else if (key === 'backspace' && text === '') close();
    else setText((before) => typed(before, key) ?? before);
    return true;
  };
  useTyping(type, true, [
    { key: 'enter', label: 'go', run: () => undefined },
    { key: 'tab', label: 'complete', run: () => undefined },
    { key: 'esc', label: 'back', run: () => undefined },
  ]);
  const names = found.map((view) => oneLine(view.name)).join('  ');
  return <Text>{fit(`:${text}_   ${names}`, columns)}</Text>;
}

/** Parses a text into matching views, and the name of a record after the view's. */
function parseCommand(views: readonly View[], text: string): { found: View[]; name: string } {
  const whole = viewsNamed(views, text);
  if (whole.length > 0) return { found: whole, name: '' };
  const [word = '', ...rest] = text.trim().split(/\s+/);
  return { found: viewsNamed(views, word), name: rest.join(' ') };
}

const fail = failures({ reference_ambiguous: 409 });

/**
 * Finds the record of some kinds by a name, an id or a part of an id. Digits alone are an id of the first kind.
 *
 * @throws the failures of `idOf`; `reference_ambiguous` with all matches
 */
async function findRecord(kinds: readonly ReferenceKind[], text: string, ask: Ask): Promise<Opened> {
  const among = /^\d+$/.test(text) ? kinds.slice(0, 1) : kinds;
  const found: Opened[] = [];
  const missed: unknown[] = [];
  for (const kind of among) {
    try {
      const id = await idOf(kind, text, ask);
      // A full id is not looked up by idOf, and could belong to each of the kinds.
      if (among.length > 1) await describeId(kind, id, ask);
      found.push({ kind, id });
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      missed.push(thrown);
    }
  }
  const [only, ...others] = found;
  if (only === undefined) throw missed[0];
  if (others.length === 0) return only;
  const names = await Promise.all(found.map(async ({ kind, id }) => `${await describeId(kind, id, ask)} (${id})`));
  throw fail('reference_ambiguous', `'${text}' matches several records: ${names.join(', ')}. Use the id`);
}

/** Returns whether no record of this kind was found: the text may name one of another kind. */
function isMissing(thrown: unknown): boolean {
  return isFailure(thrown) && (thrown.status === 404 || thrown.code === 'invalid_input');
}
