/** Recognises a server that does not know a session by its message and the statuses that servers use for it. */
const sentence = /\bsession\b/i;
const statuses: readonly unknown[] = [400, 410, 422, 503];

/**
 * Returns whether a server refused a request because it doesn't know the session: the standard says 404, many use
 * another status and a message. Only statuses of requests rejected before execution count, so that nothing runs twice.
 */
export function isUnknownSession(fault: unknown, session: string | undefined): boolean {
  if (session === undefined || !(fault instanceof Error)) return false;
  const status = statusOf(fault);
  return status === 404 || (statuses.includes(status) && sentence.test(fault.message));
}

/** Adds advice to an error that doesn't say what to do. */
export function withAdvice(fault: unknown): Error {
  if (!(fault instanceof Error)) return new Error('it failed', { cause: fault });
  const advice = adviceFor(fault);
  return advice === undefined ? fault : new Error(`${advice} (${fault.message.slice(0, 300)})`, { cause: fault });
}

function adviceFor(fault: Error): string | undefined {
  const status = statusOf(fault);
  if (fault.name === 'ZodError') return 'its answer is not an MCP message';
  if (status === 401 || status === 403) return 'it rejected the credentials: check its headers in agents.mcp_servers';
  if (status === 404 || status === 405) return 'no MCP server (streamable HTTP) at its address; many addresses end in /mcp';
  return status === -1 ? 'its address does not answer with MCP (streamable HTTP)' : undefined;
}

/** Returns the HTTP status of an error. The SDK stores it as the code; JSON-RPC errors have a negative code. */
function statusOf(fault: Error): unknown {
  return fault.name === 'McpError' ? undefined : (fault as { code?: unknown }).code;
}
