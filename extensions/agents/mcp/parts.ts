import type { CheckResult, Context, ToolProvider } from '../../../kernel/contract/index.js';
import type { Agents } from '../contract.js';
import type { OperationsOptions } from '../tools/operations.js';
import { McpServer } from './mcp-server.js';
import { mcpDoor, PlatformServer } from './platform-server.js';
import { readServers, type ServerSettings } from './settings.js';

/** Wait for a server; shorter than the limit of a check. */
const probe_ms = 3_000;

/** Opens the MCP endpoint, and returns the tools of the configured MCP servers. */
export function openMcp(ctx: Context<Agents>, options: OperationsOptions): readonly ToolProvider[] {
  const platform = new PlatformServer({ ...options, log: ctx.log });
  ctx.door(mcpDoor, (request, call) => platform.answer(request, call));
  const servers = readServers(ctx.config).map((settings) => serverOf(ctx, settings));
  // All at once, because each may take a while to end.
  ctx.own({ dispose: async () => void (await Promise.all(servers.map((server) => server.dispose()))) });
  if (servers.length > 0) ctx.check('mcp_servers', () => reachability(ctx, servers));
  return servers;
}

/**
 * Reports the state of the MCP servers. Servers nobody has used yet are contacted now, except in a process that runs
 * one command: it starts no programs for a check.
 */
async function reachability({ background }: Context<Agents>, servers: readonly McpServer[]): Promise<CheckResult> {
  if (background) await Promise.all(servers.map((server) => server.probe(probe_ms)));
  const message = `MCP servers: ${servers.map(({ state }) => state).join(', ')}`;
  if (servers.every(({ fault }) => fault === undefined)) return { ok: true, message };
  return { ok: false, message, fix: 'see their commands and addresses (agents.mcp_servers) with: platform config --json key,value' };
}

function serverOf(ctx: Context<Agents>, settings: ServerSettings): McpServer {
  // An administrator configured the address, so a private one is intended.
  const allow = 'url' in settings ? [new URL(settings.url).host] : [];
  return new McpServer({ settings, log: ctx.log, clock: ctx.clock, fetch: ctx.web(allow) });
}
