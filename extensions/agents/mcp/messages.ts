/** The fields of a JSON-RPC message that the door reads. */
export interface Message {
  jsonrpc: '2.0';
  method?: string;
  params?: { requestId?: string | number; arguments?: unknown };
}

/** The messages of a body, one or a batch of at least one; undefined if one of them is no JSON-RPC message. */
export function messagesOf(body: unknown): readonly Message[] | undefined {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.length > 0 && messages.every(isMessage) ? messages.map(withoutNulls) : undefined;
}

/** Some clients write null for what they leave out. */
function withoutNulls(message: Message): Message {
  const { params, ...rest } = message;
  if (params === undefined || params === null) return rest;
  const { arguments: given, ...others } = params;
  return { ...rest, params: given === undefined || given === null ? others : params };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}
