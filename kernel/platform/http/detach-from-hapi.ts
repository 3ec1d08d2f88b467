import type { Outgoing } from './incoming.js';

/**
 * Detaches a request from hapi, whose listeners would keep its server alive until the response ends (`stream-ends.test`). Emits `taken`,
 * so that others who wait for the end of the response can add their listeners again.
 */
export function detachFromHapi(res: Outgoing): void {
  for (const event of ['end', 'error', 'aborted']) res.req.removeAllListeners(event);
  for (const event of ['close', 'error']) res.removeAllListeners(event);
  const gone = () => res.destroy();
  res.req.on('error', gone);
  res.on('error', gone);
  res.emit('taken');
}
