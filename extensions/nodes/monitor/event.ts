import { nodeOf } from './listing.js';

/** Something that an engine says has happened to a container of ours. */
export interface EngineEvent {
  /** `start`, `die`, `oom`, `destroy`, `health_status: unhealthy`, … */
  action: string;
  node_id: number;
  container_id: string;
  /** When, as the engine counts: nanoseconds since the epoch, more than a number holds. */
  nanos: bigint;
}

const max_line_length = 262_144;

/** The events of an engine's stream: a line of JSON each. What is none of ours is left out. */
export async function* eventsOf(stream: AsyncIterable<Buffer | string>): AsyncGenerator<EngineEvent> {
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > max_line_length) throw new Error(`The engine's event has more than ${max_line_length} characters`);
    for (const line of lines) {
      const event = read(line);
      if (event) yield event;
    }
  }
}

/** As the engine takes it for `since`. */
export function sinceOf(nanos: bigint): string {
  return `${nanos / 1_000_000_000n}.${String(nanos % 1_000_000_000n).padStart(9, '0')}`;
}

function read(line: string): EngineEvent | undefined {
  const nanos = /"timeNano":(\d{1,19})\b/.exec(line)?.[1];
  if (nanos === undefined) return undefined;
  try {
    const { Action, Actor } = JSON.parse(line) as { Action?: unknown; Actor?: { ID?: unknown; Attributes?: Record<string, string> } };
    const node_id = nodeOf(Actor?.Attributes ?? {});
    if (typeof Action !== 'string' || typeof Actor?.ID !== 'string' || !Number.isInteger(node_id)) return undefined;
    return { action: Action, node_id, container_id: Actor.ID, nanos: BigInt(nanos) };
  } catch {
    return undefined;
  }
}
