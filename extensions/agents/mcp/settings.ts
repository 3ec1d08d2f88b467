interface Allowed {
  /** Names its tools to the model and to people: 1 to 32 of `[a-z0-9-]`. */
  readonly name: string;
  /** Which of its tools may be used. */
  readonly tools: 'all' | readonly string[];
  /** Those that change nothing: they need no approval. What the server says of its tools counts for nothing. */
  readonly read_only: readonly string[];
  /** Those that need approval in every mode, read-only or not. */
  readonly dangerous: readonly string[];
}

/** A program that speaks MCP over its standard input and output. */
export interface ProgramSettings extends Allowed {
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment, beside the few variables that programs need to run. */
  readonly env: Readonly<Record<string, string>>;
}

/** A server that speaks MCP over HTTP (streamable HTTP). */
export interface RemoteSettings extends Allowed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerSettings = ProgramSettings | RemoteSettings;

/** The configured MCP servers; the configuration has validated them. */
export function readServers(config: Readonly<Record<string, unknown>>): readonly ServerSettings[] {
  return Array.isArray(config.mcp_servers) ? (config.mcp_servers as readonly ServerSettings[]) : [];
}
