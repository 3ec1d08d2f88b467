import { Box } from 'ink';
import { Depth, useDepth, useFocus } from './context.js';
import type { Binding } from './keys.js';
import { Text } from './text.js';
import { useTyping } from './use-keys.js';
import type { Line } from './use-line.js';

export interface WriteLineProps {
  title: string;
  line: Line;
  /** Rows from {@link Line.rows}. */
  rows: readonly string[];
  /** Further keys, which must not type text: combinations with ctrl. */
  bindings: readonly Binding[];
  onSend: (text: string) => void;
  /** Whether an empty text is sent. Default false. */
  sendsEmpty?: boolean | undefined;
  /** Completes the text before the cursor when tab is pressed; returns whether it does. Default: tab leaves for the next view. */
  onComplete?: (() => boolean) | undefined;
  /** Called when esc is pressed. */
  onLeave: () => void;
}

/** Keys passed on to the layers around the line. */
const passedKeys = ['ctrl-c', 'tab', 'shift-tab', 'pgup', 'pgdn'];
const nothing = () => undefined;

/** Shows a text input until esc: letters are text, enter sends; esc gives access to the other keys of the dashboard. */
export function WriteLine(props: WriteLineProps) {
  return (
    <Depth value={useDepth() + 1}>
      <Typing {...props} />
    </Depth>
  );
}

function Typing({ title, line, rows, bindings, onSend, sendsEmpty = false, onComplete, onLeave }: WriteLineProps) {
  const send = () => {
    const text = line.text().trim();
    if (text !== '' || sendsEmpty) onSend(text);
  };
  const type = (key: string): boolean => {
    if (key === 'tab' && onComplete?.()) return true;
    if (passedKeys.includes(key) || bindings.some((binding) => binding.key === key)) return false;
    if (key === 'esc') onLeave();
    else if (key === 'enter') send();
    else line.press(key);
    return true;
  };
  useTyping(type, useFocus(), [
    { key: 'enter', label: 'send', run: nothing },
    ...bindings,
    { key: 'esc', label: 'commands', run: nothing },
    { key: 'tab', label: 'next view', run: nothing, isElsewhere: true },
    { key: 'ctrl-c', label: 'quit', run: nothing, isElsewhere: true },
  ]);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text kind="strong">{title}</Text>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
        <Text key={index} chosen>
          {row}
        </Text>
      ))}
    </Box>
  );
}
