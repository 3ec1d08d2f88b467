import { Box } from 'ink';
import { useEffect, useState } from 'react';
import { harmlessJson } from '../../kernel/client/terminal-text.js';
import type { Column } from '../kit/columns.js';
import { useDashboard } from '../kit/context.js';
import { counted, number } from '../kit/formats.js';
import { Log } from '../kit/log.js';
import type { Panel, PanelProps } from '../kit/panel.js';
import { Records } from '../kit/records.js';
import { Text } from '../kit/text.js';
import { useKeys } from '../kit/use-keys.js';
import { type Entry, max_entries, ringOf } from './ring.js';

/** Minimum time between two drawings. */
const draw_ms = 150;

const columns: Column<Entry>[] = [
  { title: 'time', value: ({ frame }) => frame.ts.slice(11, 23), width: 12, colour: () => 'dim' },
  {
    title: 'type',
    value: ({ frame }) => frame.type,
    width: 22,
    colour: ({ frame }) => (isBad(frame.type, frame.data) ? 'bad' : undefined),
  },
  { title: 'what', value: ({ text }) => text, grow: true },
];

/** Shows events as they happen: frames to this member and, for administrators, the log and topics. */
function View({ focused, size }: PanelProps<object>) {
  const dashboard = useDashboard();
  const { live } = dashboard;
  const ring = ringOf(dashboard);
  const [seen, setSeen] = useState(() => ring.newest());
  const [isPaused, setPaused] = useState(false);
  useEffect(() => live.want('log'), [live]);
  useEffect(() => {
    if (isPaused) return undefined;
    let drawn = -1;
    const timer = setInterval(() => {
      if (drawn === ring.count) return;
      drawn = ring.count;
      setSeen(ring.newest());
    }, draw_ms);
    return () => clearInterval(timer);
  }, [ring, isPaused]);
  const clear = () => {
    ring.clear();
    setSeen([]);
  };
  useKeys(
    [
      { key: 'p', label: isPaused ? 'resume' : 'pause', run: () => setPaused(!isPaused) },
      { key: 'c', label: 'clear', run: clear },
    ],
    focused,
  );
  const limitText = seen.length < max_entries ? '' : `, the last ${number(max_entries)} are shown`;
  return (
    <Box flexDirection="column">
      <Text kind="dim">{`${counted(ring.count, 'event')}${limitText}${isPaused ? '  paused' : ''}`}</Text>
      <Records
        rows={seen}
        columns={columns}
        idOf={({ n }) => n}
        height={size.rows - 1}
        follow
        raw={({ frame }) => frame}
        details={({ frame }) => <Log lines={harmlessJson(JSON.stringify(frame, null, 2)).split('\n')} follow={false} wrap />}
        empty="No events since the dashboard was opened"
      />
    </Box>
  );
}

function isBad(type: string, { level, state }: Readonly<Record<string, unknown>>): boolean {
  return type === 'error' || level === 'error' || state === 'failed';
}

export default { title: 'Journal', order: 90, View } satisfies Panel<object>;
