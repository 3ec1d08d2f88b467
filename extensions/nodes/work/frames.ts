/** Part of a command's output. */
export interface Frame {
  stream: 'stdout' | 'stderr';
  bytes: Buffer;
}

const header_length = 8;
/** Limit of a frame: engines write far smaller ones; a larger one means that this is not a stream of frames. */
const max_frame_bytes = 16 * 1024 * 1024;

/**
 * Parses an engine's multiplexed stream: `[stream, 0, 0, 0, length as 4 bytes]` and the bytes. A slow reader makes the
 * engine wait. A frame is yielded in as many parts as it arrives in. Fails if the stream ends within a frame.
 */
export async function* framesOf(source: AsyncIterable<Buffer | string>): AsyncGenerator<Frame> {
  let pending: Buffer = Buffer.alloc(0);
  let stream: Frame['stream'] = 'stdout';
  let left = 0;
  for await (const chunk of source) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
    while (pending.length > 0) {
      if (left === 0) {
        if (pending.length < header_length) break;
        stream = pending[0] === 2 ? 'stderr' : 'stdout';
        left = pending.readUInt32BE(4);
        if (left > max_frame_bytes) throw new Error('The engine sent something that is not a stream of frames');
        pending = pending.subarray(header_length);
        continue;
      }
      const part = pending.subarray(0, left);
      left -= part.length;
      pending = pending.subarray(part.length);
      yield { stream, bytes: part };
    }
  }
  if (left > 0 || pending.length > 0) throw new Error('The stream of the engine ended in the middle');
}
