import type Docker from 'dockerode';

/** Returns the engine's own clock in ms since the epoch, because clocks may differ. Falls back to this host's. */
export async function engineTime(docker: Docker): Promise<number> {
  const ms = await reportedTime(docker);
  return Number.isNaN(ms) ? Date.now() : ms;
}

/** Returns the engine's own clock; NaN if it reports none. */
export async function reportedTime(docker: Docker): Promise<number> {
  const { SystemTime } = (await docker.info()) as { SystemTime?: string };
  return Date.parse(SystemTime ?? '');
}
