interface ToolRules {
  /** Prefix of its tools' names for the model and for people: 1 to 32 of `[a-z0-9-]`. */
  readonly name: string;
  /** Tools that may be used. */
  readonly tools: 'all' | readonly string[];
  /** Tools that change nothing and need no approval. The server's own hints are ignored. */
  readonly read_only: readonly string[];
  /** Tools that need approval in every mode, even if listed as read-only. */
  readonly dangerous: readonly string[];
}

/** Program that speaks MCP over standard input and output. */
export interface ProgramSettings extends ToolRules {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables, in addition to the few that programs need. */
  readonly env: Readonly<Record<string, string>>;
}

/** Server that speaks MCP over HTTP (streamable HTTP). */
export interface RemoteSettings extends ToolRules {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerSettings = ProgramSettings | RemoteSettings;

/** Returns the configured MCP servers; the configuration has validated them. */
export function readServers(config: Readonly<Record<string, unknown>>): readonly ServerSettings[] {
  return Array.isArray(config.mcp_servers) ? (config.mcp_servers as readonly ServerSettings[]) : [];
}
