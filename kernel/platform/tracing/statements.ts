import type { Watch } from '../data/transactions.js';
import type { Tracing } from './tracing.js';

/** A span for each transaction, and for each statement outside of one, that something which is traced asks for: waiting for its turn is in it. */
export function traceStatements(tracing: Tracing, database_url: string): Watch {
  const system = database_url.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return (kind, work) => {
    // Looking after what is due, each second, is nobody's request.
    if (!tracing.current()) return work();
    return tracing.span({ name: kind, kind: 'client', attributes: { 'db.system.name': system, 'db.operation.name': kind } }, work);
  };
}
