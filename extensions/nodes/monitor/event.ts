import { nodeOf } from './listing.js';

/** Event of one of our containers, as reported by an engine. */
export interface EngineEvent {
  /** `start`, `die`, `oom`, `destroy`, `health_status: unhealthy`, … */
  action: string;
  node_id: number;
  container_id: string;
  /** Time by the engine's clock: nanoseconds since the epoch, which exceed a number. */
  nanos: bigint;
}

const max_line_length = 262_144;

/** Parses the events of an engine's stream, one line of JSON each. Events of other containers are skipped. */
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

/** Formats a time for the engine's `since`. */
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
