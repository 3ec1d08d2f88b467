import { useState } from 'react';
import { overlay_depth } from './help.js';
import { fit, oneLine } from './kit/cells.js';
import { Depth, useDashboard, useSpace } from './kit/context.js';
import { Text } from './kit/text.js';
import { typed } from './kit/typed.js';
import { useTyping } from './kit/use-keys.js';
import { type View, viewsNamed } from './panels.js';

export interface CommandLineProps {
  views: readonly View[];
  go: (name: string) => void;
  quit: () => void;
  close: () => void;
}

/** `:` and the beginning of a view's name; tab completes, enter goes there. */
export function CommandLine(props: CommandLineProps) {
  return (
    <Depth value={overlay_depth}>
      <Line {...props} />
    </Depth>
  );
}

function Line({ views, go, quit, close }: CommandLineProps) {
  const { columns } = useSpace();
  const { notify } = useDashboard();
  const [text, setText] = useState('');
  const found = viewsNamed(views, text);
  const enter = () => {
    close();
    if (['q', 'quit'].includes(text.trim())) quit();
    else if (found[0]) go(found[0].name);
    else if (text.trim() !== '') notify(`There is no view '${text.trim()}'`, 'error');
  };
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (key === 'esc') close();
    else if (key === 'enter') enter();
    else if (key === 'tab') setText(found[0]?.name ?? text);
    else if (key === 'backspace' && text === '') close();
    else setText((before) => typed(before, key) ?? before);
    return true;
  };
  useTyping(type, true, [
    { key: 'enter', label: 'go', run: () => undefined },
    { key: 'tab', label: 'complete', run: () => undefined },
    { key: 'esc', label: 'back', run: () => undefined },
  ]);
  const names = found.map(({ name }) => oneLine(name)).join('  ');
  return <Text>{fit(`:${text}_   ${names}`, columns)}</Text>;
}
