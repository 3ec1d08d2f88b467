import type Docker from 'dockerode';

/** What an engine's own clock says, in ms since the epoch: clocks needn't agree. This host's where it doesn't say. */
export async function engineTime(docker: Docker): Promise<number> {
  const { SystemTime } = (await docker.info()) as { SystemTime?: string };
  const ms = Date.parse(SystemTime ?? '');
  return Number.isNaN(ms) ? Date.now() : ms;
}
