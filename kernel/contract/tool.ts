import type { Caller, OperationAudience } from './operation.js';

/**
 * The slot in which extensions register a {@link ToolProvider}: for operations that are marked `tool`, MCP servers, nodes, skills and
 * schedules. All providers are treated alike.
 */
export type ToolSlot = 'agents.tools';

/** Provides tools for AI employees. */
export interface ToolProvider {
  /** Name for people, in the message that its tools are unavailable: `the MCP server 'files'`. */
  readonly name: string;
  /**
   * Returns the tools for a run; called once at its start. If it throws or takes longer than 10 s, the run continues without its tools, and
   * the model is informed.
   */
  tools(use: ToolContext): Promise<readonly Tool[]> | readonly Tool[];
  /**
   * Returns whether it has a tool with this name or title, for any employee and member. A provider that must ask a server first answers
   * whether the name looks like one of its tools. Used to validate the tools that an AI employee is restricted to. Default: every name may be.
   */
  brings?(name: string): boolean;
}

/** The AI employee that would use the tools, and its task. */
export interface ToolContext {
  readonly employee: { readonly member_id: number; readonly name: string };
  /** The member for whom the AI employee works, with its current rights, limited to the scopes of the request. */
  readonly asker: Caller;
  /** The node on which the AI employee works for the asker; null if it has none, or may not use it for them. */
  readonly node_id: number | null;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

/**
 * The effect of a tool, which decides whether a person must approve a call. `read` changes nothing: approval only in the mode `supervised`.
 * `write`: approval in the modes `supervised` and `assistant`. `dangerous`: approval in every mode.
 */
export type ToolEffect = 'read' | 'write' | 'dangerous';

/** A tool: something that an AI employee can do besides writing. */
export interface Tool {
  /** Name for the model: `^[A-Za-z0-9_-]{1,64}$`. If several tools have the same name the first one counts, and the platform's own come first. */
  readonly name: string;
  /** Name for people: `members.list`. At most 128 characters. */
  readonly title: string;
  /** For the model: what it does, and when to use it. Cut at 2,000 characters. */
  readonly description: string;
  /** JSON Schema of the input, which is always an object. */
  readonly input: object;
  /** Further guidance for the model at the start of a run. Cut at 20,000 characters. */
  readonly guide?: string;
  readonly effect: ToolEffect;
  /**
   * Members who get the same result, as for operations. Default: `caller`. In a room, where several people read the result, an AI employee
   * runs only a tool for `members` freely.
   */
  readonly audience?: OperationAudience;
  /** Whether it works only on what belongs to the room, such as its folder on a work node. Only for the platform's own tools. */
  readonly within_room?: boolean;
  /** Key of the input with the id of the session that the tool's result and effect concern alone. Only for the platform's own tools. */
  readonly session_key?: string;
  /** Whether it belongs to a third party: a plugin or an MCP server. It never replaces one of the platform's own tools. */
  readonly foreign?: boolean;
  /** Time limit of a call. Default 60,000; at most 600,000. */
  readonly timeout_ms?: number;
  /** Makes it a command of the offline responder. */
  readonly slash?: SlashCommand;
  /**
   * Runs the tool. The model gets the result, or the message of what it throws; neither ends the run. `signal` aborts when the time is up
   * or the run is stopped; the tool must then stop by itself.
   */
  call(input: object, use: ToolUse): Promise<ToolResult>;
}

/** `/run ls` of the offline responder. */
export interface SlashCommand {
  /** Without the slash, lower case: `run`. */
  readonly command: string;
  /** Usage line in `/help`: `/run <command>`. */
  readonly usage: string;
  /** Description for people in `/help`; the AI employee speaks. Default: the tool's description, which addresses a model. */
  readonly about?: string;
  /** Returns the tool's input, given the text after the command. If it throws, the person sees the message. */
  parse(rest: string): object;
}

/** The context of one call of a tool. */
export interface ToolUse {
  /** Like {@link ToolContext.asker}, read again for this call. */
  readonly asker: Caller;
  /** Like {@link ToolContext.node_id}, read again for this call: also null if the permission was revoked or the node deleted since. */
  readonly node_id: number | null;
  /** Aborts when the time is up or the run is stopped. */
  readonly signal: AbortSignal;
  /** Shows a part of the output to the reply's readers while the tool runs. */
  readonly output: (delta: string) => void;
}

export interface ToolResult {
  /** The whole output. The model gets it, shortened if it is long; the first 16,384 characters are stored. */
  readonly output: string;
  /** Why the call failed, as a sentence; left out if it succeeded. */
  readonly error?: string;
  /** PNG, JPEG, GIF or WebP images, at most 4 of 8 MiB together. Models that support images get them; `output` should name them for all others. */
  readonly images?: readonly ToolImage[];
}

export interface ToolImage {
  readonly mime_type: string;
  readonly bytes: Uint8Array;
}
