import type { CheckResult, Context, ToolProvider } from '../../../kernel/contract/index.js';
import type { Agents } from '../contract.js';
import type { OperationsOptions } from '../tools/operations.js';
import { mcpDoor, PlatformServer } from './server.js';
import { McpServer } from './servers.js';
import { readServers, type ServerSettings } from './settings.js';

/** Less than a check may take. */
const patience_ms = 3_000;

/** Opens the door for MCP clients, and gives the tools of the configured MCP servers. */
export function openMcp(ctx: Context<Agents>, options: OperationsOptions): readonly ToolProvider[] {
  const platform = new PlatformServer({ ...options, log: ctx.log });
  ctx.door(mcpDoor, (request, call) => platform.answer(request, call));
  const servers = readServers(ctx.config).map((settings) => serverOf(ctx, settings));
  // All at once: each may take a while to end.
  ctx.own({ dispose: async () => void (await Promise.all(servers.map((server) => server.dispose()))) });
  if (servers.length > 0) ctx.check('mcp_servers', () => reachability(ctx, servers));
  return servers;
}

/** One that nobody has asked so far is asked now; a process that runs one command starts no programs for that. */
async function reachability({ background }: Context<Agents>, servers: readonly McpServer[]): Promise<CheckResult> {
  if (background) await Promise.all(servers.map((server) => server.look(patience_ms)));
  const message = `MCP servers: ${servers.map(({ state }) => state).join(', ')}`;
  if (servers.every(({ fault }) => fault === undefined)) return { ok: true, message };
  return { ok: false, message, fix: 'see their commands and addresses (agents.mcp_servers) with: platform config --json key,value' };
}

function serverOf(ctx: Context<Agents>, settings: ServerSettings): McpServer {
  // The address is an administrator's own word, so a private one is meant.
  const allow = 'url' in settings ? [new URL(settings.url).host] : [];
  return new McpServer({ settings, log: ctx.log, clock: ctx.clock, fetch: ctx.web(allow) });
}
