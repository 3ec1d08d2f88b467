import { Box } from 'ink';
import { oneLine, wrapped } from './cells.js';
import { type Size, useSpace } from './context.js';
import { Text } from './text.js';
import { useTyping } from './use-keys.js';

export interface QuestionProps {
  question: string;
  /** It was answered with yes. */
  go: () => void;
  /** It was answered, or given up. */
  close: () => void;
  /** Whether keys are meant for it. */
  isMine: boolean;
}

const answers = ' (y/n)';

/** All of a question, on as many lines as that takes: nobody agrees to what isn't seen. Only three lines of the space stay free. */
export function questionLines(question: string, { columns, rows }: Size): string[] {
  const lines = wrapped(oneLine(question) + answers, columns);
  const max = Math.max(1, rows - 3);
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), `…${answers}`];
}

/** Asks before something is done. */
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
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <Text key={index} kind="warn">
          {line}
        </Text>
      ))}
    </Box>
  );
}
