import { Box } from 'ink';
import { oneLine, wrapped } from './cells.js';
import { type Size, useSpace } from './context.js';
import { Text } from './text.js';
import { useTyping } from './use-keys.js';

export interface QuestionProps {
  question: string;
  /** Called after yes. */
  go: () => void;
  /** Called after an answer or a cancel. */
  close: () => void;
  /** Whether it receives keys. */
  isMine: boolean;
}

const answers = ' (y/n)';

/** Wraps a question without truncating it, because nobody should confirm what they can't read. At least three lines of the space stay free. */
export function questionLines(question: string, { columns, rows }: Size): string[] {
  const lines = wrapped(oneLine(question) + answers, columns);
  const max = Math.max(1, rows - 3);
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), `…${answers}`];
}

/** Asks for confirmation. */
export function Question({ question, go, close, isMine }: QuestionProps) {
  const lines = questionLines(question, useSpace());
  const type = (key: string): boolean => {
    if (key === 'ctrl-c') return false;
    if (['y', 'Y', 'n', 'N', 'esc'].includes(key)) close();
    if (key === 'y' || key === 'Y') go();
    return true;
  };
  useTyping(type, isMine, [
    { key: 'y', label: 'yes', run: () => undefined },
    { key: 'n', label: 'no', run: () => undefined },
  ]);
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its position
        <Text key={index} kind="warn">
          {line}
        </Text>
      ))}
    </Box>
  );
}
