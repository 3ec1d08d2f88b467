import type { Context, Extension } from '../../kernel/contract/index.js';
import type { Answerer, AnswererSlot } from '../chat/contract.js';
import type { Members, MembersEvents } from '../members/contract.js';
import { EmployeeAnswerer } from './answerer.js';
import type { Agents, ToolSlot } from './contract.js';
import { Employees } from './employees.js';
import { mcpDoor, PlatformServer } from './mcp/server.js';
import { McpServer } from './mcp/servers.js';
import { readServers } from './mcp/settings.js';
import { migration } from './migrations/0001-agents.js';
import { Model } from './model.js';
import { ModelChain } from './model-chain.js';
import { OfflineResponder } from './offline.js';
import { hostOf, readModel } from './settings.js';
import { SlashCommands } from './slash.js';
import { openStore } from './store.js';
import { OperationTools } from './tools/operations.js';

const slot: AnswererSlot = 'chat.answerer';
const toolSlot: ToolSlot = 'agents.tools';

async function activate(ctx: Context<Agents>): Promise<void> {
  const members = ctx.use<Members>('members');
  await ctx.migrate([migration]);
  const employees = new Employees(openStore(ctx.db), members);
  await employees.prepare();

  const settings = readModel(ctx.config);
  const commands = new SlashCommands({
    operations: () => ctx.operations(),
    invoke: (operation, input, caller, options) => ctx.invoke(operation, input, caller, options),
    caller: (member_id) => members.caller(member_id, 'tool'),
  });
  const platform = new PlatformServer({
    log: ctx.log,
    operations: () => ctx.operations(),
    invoke: (operation, input, caller, options) => ctx.invoke(operation, input, caller, options),
  });
  const ending = new AbortController();
  ctx.signal.addEventListener('abort', () => {
    // After a replacement what is being written goes on to its end.
    if (ctx.signal.reason !== 'replaced') ending.abort();
  });
  const answerer: Answerer = new EmployeeAnswerer({
    employees,
    // The address is the administrator's own word, so a private one is meant.
    model: settings && new ModelChain([new Model({ settings, fetch: ctx.web([hostOf(settings)]) })]),
    offline: new OfflineResponder(commands),
    clock: ctx.clock,
    track: (work) => ctx.track(work),
    ending: ending.signal,
  });
  ctx.contribute(slot, answerer);
  ctx.contribute(
    toolSlot,
    new OperationTools({
      operations: () => ctx.operations(),
      invoke: (operation, input, caller, options) => ctx.invoke(operation, input, caller, options),
    }),
  );
  ctx.door(mcpDoor, (request, call) => platform.answer(request, call));
  for (const server of readServers(ctx.config)) {
    const fetch = ctx.web('url' in server ? [new URL(server.url).host] : []);
    ctx.contribute(toolSlot, ctx.own(new McpServer({ settings: server, log: ctx.log, clock: ctx.clock, fetch })));
  }
  ctx.take<MembersEvents['members.deleted']>('members.deleted', ({ id }) => employees.forget(id));
  ctx.check('model', async () => ({
    ok: true,
    message: settings
      ? `AI employees ask the model '${settings.name}' at ${hostOf(settings)}`
      : 'No model is configured: the built-in offline responder answers. Set PLATFORM_MODEL_BASE_URL and PLATFORM_MODEL_NAME',
  }));
  ctx.provide({});
}

export default { activate } satisfies Extension<Agents>;
