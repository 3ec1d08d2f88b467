/** Encodes an unmasked server text frame (RFC 6455, 5.2), once for all sockets that receive it. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const { frame, at } = headed(length);
  frame.write(text, at);
  return frame;
}

/** Encodes a frame whose text starts with encoded bytes, which many frames may share. */
export function textFrameOf(start: Buffer, rest: string): Buffer {
  const { frame, at } = headed(start.length + Buffer.byteLength(rest));
  start.copy(frame, at);
  frame.write(rest, at + start.length);
  return frame;
}

/** Returns a frame with its header, and the position of its text. */
function headed(length: number): { frame: Buffer; at: number } {
  const at = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(at + length);
  frame[0] = 0x81;
  if (at === 2) frame[1] = length;
  else if (at === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  return { frame, at };
}

/** A ping without content. */
export const pingFrame: Buffer = Buffer.from([0x89, 0]);
