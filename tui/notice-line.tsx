import { useSyncExternalStore } from 'react';
import { cut } from './kit/cells.js';
import { useSpace } from './kit/context.js';
import { Text } from './kit/text.js';
import type { Notices } from './notices.js';

/** The last thing told, for some seconds. */
export function NoticeLine({ notices }: { notices: Notices }) {
  const { columns } = useSpace();
  const notice = useSyncExternalStore(notices.subscribe, notices.get);
  if (notice === undefined) return <Text> </Text>;
  const isError = notice.kind === 'error';
  return <Text kind={isError ? 'bad' : 'good'}>{cut(isError ? `! ${notice.text}` : notice.text, columns)}</Text>;
}
