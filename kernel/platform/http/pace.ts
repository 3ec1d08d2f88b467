import type { IncomingMessage } from 'node:http';

/** Bytes read of one body before the event loop gets a turn. */
const turn_bytes = 256 * 1024;

/**
 * Limits how much of a body is read per turn of the event loop. Otherwise Node reads two megabytes from a socket
 * before anything else runs, and a parser needs milliseconds for each of them. Respects a reader that has paused
 * the body, as a slow pipe does.
 */
export function pace(body: IncomingMessage): void {
  const pause = body.pause.bind(body);
  const resume = body.resume.bind(body);
  let [read, isFull, isHeld] = [0, false, false];
  const next = () => {
    [read, isFull] = [0, false];
    if (!isHeld) resume();
  };
  body.pause = () => {
    isHeld = true;
    return pause();
  };
  body.resume = () => {
    isHeld = false;
    return isFull ? body : resume();
  };
  // Listen only after the reader has started: an earlier listener would discard data.
  body.once('resume', () => {
    body.on('data', (piece: Buffer) => {
      if (read === 0) setImmediate(next);
      read += piece.length;
      if (read < turn_bytes) return;
      isFull = true;
      pause();
    });
  });
}
