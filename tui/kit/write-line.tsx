import { Box } from 'ink';
import { Depth, useDepth, useFocus } from './context.js';
import type { Binding } from './keys.js';
import { Text } from './text.js';
import { useTyping } from './use-keys.js';
import type { Line } from './use-line.js';

export interface WriteLineProps {
  title: string;
  line: Line;
  /** The rows that {@link Line.rows} returned. */
  rows: readonly string[];
  /** Keys beside those of the line, none of which writes: combinations with ctrl. */
  bindings: readonly Binding[];
  onSend: (text: string) => void;
  /** Told when esc is pressed. */
  onLeave: () => void;
}

/** Keys that go to whatever lies around the line. */
const passed = ['ctrl-c', 'tab', 'shift-tab', 'pgup', 'pgdn'];
const nothing = () => undefined;

/** A line to write in, open until esc: letters are text, enter sends, and the other keys of the dashboard are a press of esc away. */
export function WriteLine(props: WriteLineProps) {
  return (
    <Depth value={useDepth() + 1}>
      <Typing {...props} />
    </Depth>
  );
}

function Typing({ title, line, rows, bindings, onSend, onLeave }: WriteLineProps) {
  const send = () => {
    const text = line.text().trim();
    if (text !== '') onSend(text);
  };
  const type = (key: string): boolean => {
    if (passed.includes(key) || bindings.some((binding) => binding.key === key)) return false;
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <Text key={index} chosen>
          {row}
        </Text>
      ))}
    </Box>
  );
}
