import { Box, Log, type PanelProps, Text, useSpace, useStream } from '../../../tui/kit/index.js';
import type { Node, NodesApi } from '../contract.js';
import { useLines } from './use-lines.js';

interface Props extends Pick<PanelProps<NodesApi>, 'client'> {
  node: Node;
}

const tail = 200;

/** Shows the output of a node's container live. */
export function NodeLog({ client, node: { id, name } }: Props) {
  const { rows } = useSpace();
  const { lines, add } = useLines();
  const { state, error } = useStream(
    (signal, after) => client.nodes.logs({ id, tail, follow: true, ...(after === undefined ? {} : { after }) }, { signal }),
    // Continue with another client.
    [id],
    ({ data }) => add((data as { delta?: string }).delta ?? ''),
  );
  return (
    <Box flexDirection="column">
      <Text kind={error ? 'bad' : 'dim'}>{`Log of ${name}: ${error ? error.message : state === 'open' ? 'live' : state}`}</Text>
      <Log lines={lines} height={rows - 1} />
    </Box>
  );
}
