/** Recognises a server that does not know a session, by its sentence and the statuses that servers use for it. */
const sentence = /\bsession\b/i;
const statuses: readonly unknown[] = [400, 410, 422, 503];

/**
 * Whether a server has refused a request because it does not know the session: by the standard with 404, by many with another status
 * and a sentence. Only what was refused before it was looked at counts, so that nothing is done twice.
 */
export function isForgotten(fault: unknown, session: string | undefined): boolean {
  if (session === undefined || !(fault instanceof Error)) return false;
  const status = statusOf(fault);
  return status === 404 || (statuses.includes(status) && sentence.test(fault.message));
}

/** The fault in words that say what to do, where its own do not. */
export function explained(fault: unknown): Error {
  if (!(fault instanceof Error)) return new Error('it failed', { cause: fault });
  const advice = adviceFor(fault);
  return advice === undefined ? fault : new Error(`${advice} (${fault.message.slice(0, 300)})`, { cause: fault });
}

function adviceFor(fault: Error): string | undefined {
  const status = statusOf(fault);
  if (fault.name === 'ZodError') return 'it answered with something that is no message of MCP';
  if (status === 401 || status === 403) return 'it refuses the caller: check its headers in agents.mcp_servers';
  if (status === 404 || status === 405) return 'no MCP server (streamable HTTP) answers at its address; many end in /mcp';
  return status === -1 ? 'its address answers with something else than MCP (streamable HTTP)' : undefined;
}

/** The SDK gives its errors over HTTP the status as their code, and those of JSON-RPC a code below zero. */
function statusOf(fault: Error): unknown {
  return fault.name === 'McpError' ? undefined : (fault as { code?: unknown }).code;
}
