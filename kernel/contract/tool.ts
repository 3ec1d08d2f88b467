import type { Caller } from './operation.js';

/**
 * The slot in which whoever has tools for AI employees registers a {@link ToolProvider}: the operations
 * marked `tool` are one, and so are MCP servers, nodes, skills and schedules. All are treated alike.
 */
export type ToolSlot = 'agents.tools';

/** Brings tools. */
export interface ToolProvider {
  /** As people read it, where its tools are unavailable: `the MCP server 'files'`. */
  readonly name: string;
  /**
   * The tools for a run, asked once at its start. Where it throws, or takes longer than 10 s, the run
   * goes on without its tools, and the model is told so.
   */
  tools(use: ToolContext): Promise<readonly Tool[]> | readonly Tool[];
  /**
   * Whether it has a tool of this name or title now, for whomever. Where that isn't known before it is asked: whether the name is
   * one that a tool of its would have. Left out: any name may be.
   */
  brings?(name: string): boolean;
}

/** The AI employee that would use the tools, and its task. */
export interface ToolContext {
  readonly employee: { readonly member_id: number; readonly name: string };
  /** The member for whom the AI employee works, as it is now, with no more than its rights. */
  readonly asker: Caller;
  /** The node on which the AI employee works for the asker; null where it has none, or may not use it for them. */
  readonly node_id: number | null;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/**
 * The effect of a tool on the world. `read`: nothing; it runs by itself in the modes `assistant` and
 * `autonomous`. `write`: it asks in the mode `assistant`. `dangerous`: it asks in every mode. All ask in
 * the mode `supervised`.
 */
export type ToolEffect = 'read' | 'write' | 'dangerous';

/** A tool: something that an AI employee can do besides writing. */
export interface Tool {
  /** As the model sees it: `^[A-Za-z0-9_-]{1,64}$`. Of several with one name the first counts, the platform's own before those of others. */
  readonly name: string;
  /** As people see it: `members.list`. At most 128 characters. */
  readonly title: string;
  /** For the model: what it does, and when to use it. At most 2,000 characters are given. */
  readonly description: string;
  /** JSON Schema of the input, which is always an object. */
  readonly input: object;
  /** Further guidance for the model at the start of a run. At most 20,000 characters are used. */
  readonly guide?: string;
  readonly effect: ToolEffect;
  /** Whether it is a third party's: a plugin's, an MCP server's. It never takes the name or the place of one of the platform's own. */
  readonly foreign?: boolean;
  /** Until it is given up, in ms. Default 60,000; at most 600,000. */
  readonly timeout_ms?: number;
  /** Makes it a command of the offline responder. */
  readonly slash?: SlashCommand;
  /**
   * Runs it. What it gives or throws goes to the model; it never ends the run. `signal` aborts when the
   * time is up or the run is stopped; what it still does afterwards is its own to end.
   */
  call(input: object, use: ToolUse): Promise<ToolResult>;
}

/** `/run ls` of the offline responder. */
export interface SlashCommand {
  /** Without the slash, lower case: `run`. */
  readonly command: string;
  /** How it reads in `/help`: `/run <command>`. */
  readonly usage: string;
  /** Describes it to a person in `/help`, in the AI employee's words. Default: the tool's description, which addresses a model. */
  readonly about?: string;
  /** The tool's input from what stands after the command. A throw's message is shown. */
  parse(rest: string): object;
}

export interface ToolUse {
  /** As {@link ToolContext.asker}, read again for this call. */
  readonly asker: Caller;
  /** As {@link ToolContext.node_id}, read again for this call: null too where the grant or the node is gone meanwhile. */
  readonly node_id: number | null;
  readonly signal: AbortSignal;
  /** Shows a part of the output to readers while the tool still runs. */
  readonly output: (delta: string) => void;
}

export interface ToolResult {
  /** The whole output: what the model gets, cut where it is long, and what is stored, up to 16,384 characters. */
  readonly output: string;
  /** A sentence where it failed. */
  readonly error?: string;
  /** PNG, JPEG, GIF or WebP images, at most 4 of 8 MiB together. Models that see get them; the output names them for all others. */
  readonly images?: readonly ToolImage[];
}

export interface ToolImage {
  readonly mime_type: string;
  readonly bytes: Uint8Array;
}
