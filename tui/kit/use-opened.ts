import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Opened } from './panel.js';
import type { Opening } from './records.js';
import { useFailed } from './use-notify.js';

/** Reads the record named on the command line, for {@link Records} to open. `begin` runs before it opens. */
export function useOpened<Row>(
  opened: Opened | undefined,
  read: (opened: Opened) => Promise<Row>,
  begin: () => void,
): Opening<Row> | undefined {
  const failed = useFailed();
  const [opening, setOpening] = useState<Opening<Row>>();
  const latest = useRef({ read, begin, failed });
  useLayoutEffect(() => {
    latest.current = { read, begin, failed };
  });
  useEffect(() => {
    if (opened === undefined) return undefined;
    let isOver = false;
    const show = (row: Row) => {
      if (isOver) return;
      latest.current.begin();
      setOpening({ row, done: () => setOpening(undefined) });
    };
    latest.current.read(opened).then(show, (thrown) => (isOver ? undefined : latest.current.failed(thrown)));
    return () => {
      isOver = true;
    };
  }, [opened]);
  return opening;
}
