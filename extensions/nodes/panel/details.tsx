import { ago, Box, Fields, number, type PanelProps, percent, Sparkline, Text, useSpace } from '../../../tui/kit/index.js';
import type { Node, NodesApi, Stats } from '../contract.js';

interface Props extends Pick<PanelProps<NodesApi>, 'clock'> {
  node: Node;
  history: readonly Stats[];
}

/** Shows one node: configuration, state, and usage since it was opened. */
export function NodeDetails({ node, history, clock }: Props) {
  const { columns } = useSpace();
  const { config, status, reason, since, walls } = node;
  const latest = history.at(-1);
  return (
    <Box flexDirection="column">
      <Fields
        of={[
          ['Name', `${node.name} (${node.id})`],
          ['Engine', node.host || 'local'],
          ['Image', config.image],
          ['Limits', `${config.memory_limit} memory, ${config.cpu_limit} processors, network: ${config.network}`],
          ['Status', `${status} since ${ago(since, clock())}${reason ? `: ${reason}` : ''}`],
          ['Walls', walls.fenced ? 'private addresses are blocked' : walls.reason],
          ['Disk', latest ? `${number(latest.disk_usage_mb)} MiB` : '-'],
        ]}
      />
      <Text> </Text>
      <Curve
        label={`CPU ${percent(latest?.cpu_usage_percent)}`}
        values={history.map(({ cpu_usage_percent }) => cpu_usage_percent)}
        width={columns}
      />
      <Curve
        label={`Memory ${latest ? `${number(latest.memory_usage_mb)} of ${number(latest.memory_limit_mb)} MiB` : '-'}`}
        values={history.map(({ memory_usage_mb }) => memory_usage_mb)}
        max={latest?.memory_limit_mb}
        width={columns}
      />
    </Box>
  );
}

function Curve({ label, values, max, width }: { label: string; values: readonly number[]; max?: number | undefined; width: number }) {
  return (
    <>
      <Text>{label}</Text>
      <Sparkline values={values} width={width} max={max} kind="good" />
    </>
  );
}
