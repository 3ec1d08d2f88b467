import { useRef, useState } from 'react';
import { Box, duration, Log, type PanelProps, Text, useSpace, useStream } from '../../../tui/kit/index.js';
import type { Node, NodesApi } from '../contract.js';
import { useLines } from './use-lines.js';

interface Props extends Pick<PanelProps<NodesApi>, 'client'> {
  node: Node;
  command: string;
}

interface Exit {
  exit_code: number | null;
  timed_out: boolean;
  duration_ms: number;
}

const timeout_s = 300;

/** Runs a command on a node and shows its output. Leaving ends the command. */
export function CommandRun({ client, node: { id, name }, command }: Props) {
  const { rows } = useSpace();
  const { lines, add } = useLines();
  const [exit, setExit] = useState<Exit>();
  const isBegun = useRef(false);
  const { error } = useStream(
    (signal) => {
      // Don't run it twice after a lost connection.
      if (isBegun.current) return undefined;
      isBegun.current = true;
      return client.nodes.exec({ id, command, timeout_s }, { signal });
    },
    // A new client must not end it.
    [id, command],
    ({ type, data }) => {
      if (type === 'output') add((data as { delta?: string }).delta ?? '');
      if (type === 'exit') setExit(data as Exit);
    },
  );
  return (
    <Box flexDirection="column">
      <Text kind="strong">{`${name}$ ${command}`}</Text>
      <Text kind={error || exit?.exit_code ? 'bad' : 'dim'}>{error ? error.message : exit ? ended(exit) : 'Running …'}</Text>
      <Log lines={lines} height={rows - 2} />
    </Box>
  );
}

function ended({ exit_code, timed_out, duration_ms }: Exit): string {
  if (timed_out) return `It took longer than ${timeout_s} s and was killed`;
  return exit_code === null ? 'It was killed' : `Exit code ${exit_code} after ${duration(duration_ms)}`;
}
