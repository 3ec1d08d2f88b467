import { type Failure, isFailure } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { explain, statusOf } from '../engines/failures.js';
import type { NodeContainer } from './node-container.js';

/** Converts an engine's error to a failure for somebody who works on the node. */
export function workFault(fault: unknown, { node }: Pick<NodeContainer, 'node'>): Failure {
  if (isFailure(fault)) return fault;
  const offline = (why: string) => fail('node_offline', `The node '${node.name}' is offline: ${why}`, { cause: fault });
  const status = statusOf(fault);
  if (status === 404) return offline('its container is gone');
  if (status === 409) return offline('its container does not run');
  const failure = explain(fault, node.host);
  return failure.code === 'engine_unavailable' ? offline(failure.message) : failure;
}
