import type { Outgoing } from './incoming.js';

/**
 * Writes a piece of an answer, whose first was written by the response itself, as one chunk in one string. Node makes four
 * writes and a list of them for each, which costs more than a small piece does. Gives whether there is room for more; where
 * there isn't, the connection tells by its `drain`, or the response where it has no connection yet or holds pieces itself: Node 26 does
 * with the first until the next tick.
 */
export function writeChunk(res: Outgoing, text: string): boolean {
  const { socket } = res;
  if (!socket || !res.chunkedEncoding || res.writableLength > socket.writableLength) return res.write(text);
  const length = Buffer.byteLength(text);
  return socket.write(`${length.toString(16)}\r\n${text}\r\n`, length === text.length ? 'latin1' : 'utf8');
}
