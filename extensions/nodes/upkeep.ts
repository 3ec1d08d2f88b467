import type { Context } from '../../kernel/contract/index.js';
import type { Nodes } from './contract.js';
import type { Life } from './life.js';
import type { NodeStore } from './store/nodes.js';

/** How often a look is taken for what is left to do, in ms. */
const look_ms = 2_000;
/** How often engines and table are compared, and how soon again where something may have been forgotten there. */
const hour_ms = 3_600_000;
const soon_ms = 90_000;

/** What is done by itself: nodes that were begun are made and removed, whoever began; engines and table are compared. */
export async function keepUp(ctx: Context<Nodes>, nodes: NodeStore, life: Life): Promise<void> {
  const { db, background, instance, log } = ctx;
  const { leases, works, maker, remover, reaper } = life;
  // No other process has the database of one with SQLite: whatever another holds is a dead one's.
  if (background && db.dialect === 'sqlite') await leases.freeOthers(instance);
  const take = async (id: number) => {
    if ((await nodes.find(id))?.status === 'removing') await remover.pursue(id);
    else await maker.pursue(id);
  };
  ctx.every({ name: 'life', every_ms: look_ms }, async () => {
    for (const id of await leases.due(works.free))
      void take(id).catch((fault: unknown) => log.warn('A work node is left as it is for now', { id, fault }));
  });
  let due = 0;
  ctx.every({ name: 'reaper', every_ms: look_ms }, async () => {
    if (performance.now() < due) return;
    due = performance.now() + ((await reaper.reap()) ? soon_ms : hour_ms);
  });
}
