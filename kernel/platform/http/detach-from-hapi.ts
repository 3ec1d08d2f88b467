import type { Outgoing } from './incoming.js';

/**
 * Takes a request from hapi, whose listeners would keep its server alive as long as the answer is written (`stream-ends.test`). Who else waits for the
 * answer's end is told by the event `taken`, and listens anew.
 */
export function detachFromHapi(res: Outgoing): void {
  for (const event of ['end', 'error', 'aborted']) res.req.removeAllListeners(event);
  for (const event of ['close', 'error']) res.removeAllListeners(event);
  const gone = () => res.destroy();
  res.req.on('error', gone);
  res.on('error', gone);
  res.emit('taken');
}
