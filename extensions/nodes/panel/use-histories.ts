import { useRef } from 'react';
import { type PanelProps, useCall } from '../../../tui/kit/index.js';
import type { Node, NodesApi, Stats } from '../contract.js';

/** Usage samples of each node, latest last. */
export type Histories = ReadonlyMap<number, readonly Stats[]>;

type Client = PanelProps<NodesApi>['client'];

const every_ms = 3_000;
/** Limit of nodes that are polled; the first ones. */
const max_nodes = 20;
const max_samples = 120;

/** Polls the usage of online nodes while drawn. */
export function useHistories(client: Client, nodes: readonly Node[]): Histories {
  const all = useRef<Histories>(new Map());
  const online = nodes.filter(({ status }) => status === 'online').slice(0, max_nodes);
  const read = async (signal: AbortSignal) => {
    all.current = await extended(client, { before: all.current, ids: online.map(({ id }) => id) }, signal);
    return all.current;
  };
  const { value = all.current } = useCall(read, [client, online.map(({ id }) => id).join()], { every_ms });
  return value;
}

/** Adds a sample to each history; a node that fails keeps its history. */
async function extended(
  client: Client,
  { before, ids }: { before: Histories; ids: readonly number[] },
  signal: AbortSignal,
): Promise<Histories> {
  const asked = ids.map(async (id): Promise<[number, readonly Stats[]]> => {
    const known = before.get(id) ?? [];
    const found = await client.nodes.stats({ id }, { signal }).catch(() => undefined);
    return [id, found ? [...known, found].slice(-max_samples) : known];
  });
  return new Map(await Promise.all(asked));
}
