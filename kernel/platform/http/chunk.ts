import type { Outgoing } from './incoming.js';

/**
 * Writes a piece of an answer as one chunk in one string. Its head has gone to the connection (`flushHeaders`), and no piece is written by the
 * response itself, which from Node 26 on keeps it until the next tick. Node makes four
 * writes and a list of them for each, which costs more than a small piece does (benchmark `streams`). Gives whether there is room for more; where
 * there isn't, the connection tells by its `drain`, or the response where it has no connection yet.
 */
export function writeChunk(res: Outgoing, text: string): boolean {
  const { socket } = res;
  if (!socket || !res.chunkedEncoding) return res.write(text);
  const length = Buffer.byteLength(text);
  return socket.write(`${length.toString(16)}\r\n${text}\r\n`, length === text.length ? 'latin1' : 'utf8');
}
