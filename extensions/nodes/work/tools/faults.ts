import { isFailure } from '../../../../kernel/contract/index.js';
import { fail } from '../../codes.js';
import { engineCodes } from '../../engines/codes.js';

/** Failures whose sentences may hold an engine's address or its words. */
const engines_own: ReadonlySet<string> = new Set([...Object.keys(engineCodes), 'node_offline', 'image_pull_failed', 'container_failed']);

/**
 * What members and models are told of a fault. Where an engine is, and what it says, is the administrators' to know.
 *
 * @param name the node's; undefined where it is gone
 */
export function forMembers(fault: unknown, name: string | undefined): unknown {
  if (!isFailure(fault)) return fault;
  const node = name === undefined ? 'The node' : `The node '${name}'`;
  if (fault.code === 'no_shell') return fail('no_shell', `${node} has no shell, so commands can't be run in it`, { cause: fault });
  if (!engines_own.has(fault.code)) return fault;
  if (fault.code === 'container_failed')
    return fail('container_failed', `${node} runs, but can't run commands; its administrators see why`, { cause: fault });
  return fail('node_offline', `${node} is offline; its administrators see why`, { cause: fault });
}
