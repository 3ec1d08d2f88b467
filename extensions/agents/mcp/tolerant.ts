import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js';

/** Fields of the first answer that the SDK insists on, and that some servers leave out. */
const introduction = { capabilities: {}, serverInfo: { name: 'unknown', version: '0' } };

/** Another transport, with the messages of careless servers completed. */
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
  return { ...message, result: { ...introduction, ...result, serverInfo: { ...introduction.serverInfo, ...serverInfo } } };
}
