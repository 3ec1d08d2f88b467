import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';

/** Fields of the initialisation that the SDK requires and some servers omit. */
const defaults = { capabilities: {}, serverInfo: { name: 'unknown', version: '0' } };

/** Wraps a transport and completes messages of careless servers. */
export class TolerantTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (fault) => this.onerror?.(fault);
    this.#inner.onmessage = (message, extra) => this.onmessage?.(completed(message), extra);
    await this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }
}

function completed<T extends JSONRPCMessage>(message: T): T {
  if (!('result' in message) || message.result.protocolVersion === undefined) return message;
  const { serverInfo, ...result } = message.result as { serverInfo?: object };
  return { ...message, result: { ...defaults, ...result, serverInfo: { ...defaults.serverInfo, ...serverInfo } } };
}
