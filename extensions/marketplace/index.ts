import type { Context, Extension } from '../../kernel/contract/index.js';
import type { Marketplace } from './contract.js';
import { migration } from './migrations/0001-marketplace.js';

async function activate(ctx: Context<Marketplace>): Promise<void> {
  await ctx.migrate([migration]);
}

export default { activate } satisfies Extension<Marketplace>;
