import { useRef } from 'react';
import { type PanelProps, useCall } from '../../../tui/kit/index.js';
import type { Node, NodesApi, Stats } from '../contract.js';

/** What each node used, the latest last. */
export type Histories = ReadonlyMap<number, readonly Stats[]>;

type Client = PanelProps<NodesApi>['client'];

const every_ms = 3_000;
/** Of more nodes the first are asked. */
const max_nodes = 20;
const kept = 120;

/** Asks the nodes that are online what they use, again and again, for as long as it is drawn. */
export function useHistories(client: Client, nodes: readonly Node[]): Histories {
  const all = useRef<Histories>(new Map());
  const online = nodes.filter(({ status }) => status === 'online').slice(0, max_nodes);
  const read = async (signal: AbortSignal) => {
    all.current = await longer(client, { before: all.current, ids: online.map(({ id }) => id) }, signal);
    return all.current;
  };
  const { value = all.current } = useCall(read, [client, online.map(({ id }) => id).join()], { every_ms });
  return value;
}

/** One that can't be asked now keeps what it had. */
async function longer(
  client: Client,
  { before, ids }: { before: Histories; ids: readonly number[] },
  signal: AbortSignal,
): Promise<Histories> {
  const asked = ids.map(async (id): Promise<[number, readonly Stats[]]> => {
    const known = before.get(id) ?? [];
    const found = await client.nodes.stats({ id }, { signal }).catch(() => undefined);
    return [id, found ? [...known, found].slice(-kept) : known];
  });
  return new Map(await Promise.all(asked));
}
