import { Box } from 'ink';
import { cut, wrapped } from './kit/cells.js';
import type { NotifyKind, Size } from './kit/context.js';
import { Text } from './kit/text.js';
import type { Notice } from './notices.js';

/** Breaks the last notice into lines between words, at most a quarter of the window; an empty line if there is none. */
export function noticeLines(notice: Notice | undefined, { columns, rows }: Size): string[] {
  if (notice === undefined) return [''];
  const lines = wrapped(notice.kind === 'error' ? `! ${notice.text}` : notice.text, columns);
  const max = Math.max(1, Math.floor(rows / 4));
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), cut(lines.slice(max - 1).join(' '), columns)];
}

/** Shows the last notice for some seconds. */
export function NoticeView({ lines, kind }: { lines: readonly string[]; kind: NotifyKind | undefined }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its place
        <Text key={index} kind={kind === 'error' ? 'bad' : 'good'}>
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}
