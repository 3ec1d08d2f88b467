import type { Invoke } from '../http/handle.js';
import type { SpanStart, Tracing } from './tracing.js';

/** Adds a span to each operation on any transport; for a stream until it starts. */
export function traceOperations(tracing: Tracing, invoke: Invoke): Invoke {
  return (active, input, caller, options) => {
    const start: SpanStart = {
      name: active.id,
      attributes: { 'platform.operation': active.id, 'platform.extension': active.extension, 'platform.door': caller.door },
    };
    return tracing.span(start, () => invoke(active, input, caller, options));
  };
}
