import type { Context } from '../../../kernel/contract/index.js';
import type { Agents, ToolProvider } from '../contract.js';
import type { OperationsOptions } from '../tools/operations.js';
import { mcpDoor, PlatformServer } from './server.js';
import { McpServer } from './servers.js';
import { readServers, type ServerSettings } from './settings.js';

/** Opens the door for MCP clients, and gives the tools of the configured MCP servers. */
export function openMcp(ctx: Context<Agents>, options: OperationsOptions): readonly ToolProvider[] {
  const platform = new PlatformServer({ ...options, log: ctx.log });
  ctx.door(mcpDoor, (request, call) => platform.answer(request, call));
  const servers = readServers(ctx.config).map((settings) => serverOf(ctx, settings));
  // All at once: each may take a while to end.
  ctx.own({ dispose: async () => void (await Promise.all(servers.map((server) => server.dispose()))) });
  // What another program does makes the platform no less ready.
  const states = async () => ({ ok: true, message: `MCP servers: ${servers.map(({ state }) => state).join(', ')}` });
  if (servers.length > 0) ctx.check('mcp_servers', states);
  return servers;
}

function serverOf(ctx: Context<Agents>, settings: ServerSettings): McpServer {
  // The address is an administrator's own word, so a private one is meant.
  const allow = 'url' in settings ? [new URL(settings.url).host] : [];
  return new McpServer({ settings, log: ctx.log, clock: ctx.clock, fetch: ctx.web(allow) });
}
