import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type Docker from 'dockerode';
import { fail } from '../codes.js';
import { workspace } from '../containers/spec.js';
import { singleLine, statusOf } from '../engines/failures.js';
import { workFault } from './faults.js';
import { tarOfFolders } from './furnishing/tar.js';
import type { NodeContainer } from './node-container.js';

/** First user id of members: far above the ids that images use. */
const first_uid = 100_000;
/** First user id of rooms: far above those of members. */
const first_room_uid = 1_000_000_000;

/** Member and AI employee for whom work is done in a container. */
export interface NodeUser {
  member_id: number;
  /** Number of the room for which it is done instead; its folder is nobody's own. */
  room?: number | undefined;
  /** AI employee that does the work. */
  employee_id: number;
}

export interface NodeAccount {
  uid: number;
  /** User and group in the engine's form. */
  user: string;
  /** Home folder, readable only by this member. */
  home: string;
}

/** Returns user and home: a member, or a room, has one user id in all nodes, and a folder for each of its AI employees. */
export function accountOf({ member_id, room, employee_id }: NodeUser): NodeAccount {
  if (room !== undefined) {
    const uid = first_room_uid + room;
    return { uid, user: `${uid}:${uid}`, home: `${workspace}/r${room}/e${employee_id}` };
  }
  const uid = first_uid + member_id;
  return { uid, user: `${uid}:${uid}`, home: `${workspace}/m${member_id}/e${employee_id}` };
}

/** Time limit in ms: a container may be paused, or its disk may hang. */
const prepare_ms = 20_000;

/**
 * Creates a member's folder and an AI employee's in it, and closes the workspace to everyone but root. The engine does
 * it, because neither root's capabilities nor any program in the container can be relied on. Links and files in place
 * of a folder are removed.
 *
 * @throws `container_failed`, `node_offline`, and the signal's reason
 */
export async function prepareFolder(place: NodeContainer, nodeUser: NodeUser, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(prepare_ms);
  const abortSignal = AbortSignal.any([signal, late]);
  const { name } = place.node;
  try {
    const { dir, base } = posix.parse(await realPath(place.container, abortSignal));
    await place.container.putArchive(foldersOf(base, nodeUser), { path: dir, abortSignal });
  } catch (fault) {
    signal.throwIfAborted();
    if (late.aborted) throw fail('node_offline', `The node '${name}' did not create your working folder in time`, { cause: fault });
    const status = statusOf(fault);
    if (status === undefined || status === 404) throw workFault(fault, place);
    const words = singleLine((fault as Error).message);
    throw fail('container_failed', `The engine can't create a working folder on the node '${name}': ${words}`, { cause: fault });
  }
}

/** Resolves the workspace: an image may have a link there, whose target is then the volume. */
async function realPath(container: Docker.Container, abortSignal: AbortSignal): Promise<string> {
  const answer = (await container.infoArchive({ path: workspace, abortSignal } as { path: string })) as unknown as IncomingMessage;
  answer.resume();
  const stat = String(answer.headers['x-docker-container-path-stat'] ?? '');
  const { linkTarget } = JSON.parse(Buffer.from(stat, 'base64').toString() || '{}') as { linkTarget?: string };
  return linkTarget || workspace;
}

function foldersOf(root: string, nodeUser: NodeUser): Buffer {
  const { uid, home } = accountOf(nodeUser);
  const [member = '', employee = ''] = posix.relative(workspace, home).split('/');
  return tarOfFolders([
    // Only root may create a member's folder or a link in its place.
    { path: root, mode: 0o711, uid: 0 },
    { path: `${root}/${member}`, mode: 0o700, uid },
    { path: `${root}/${member}/${employee}`, mode: 0o700, uid },
  ]);
}
