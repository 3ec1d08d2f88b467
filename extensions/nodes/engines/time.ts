import type Docker from 'dockerode';

/** What an engine's own clock says, in ms since the epoch: clocks needn't agree. This host's where it doesn't say. */
export async function engineTime(docker: Docker): Promise<number> {
  const ms = await toldTime(docker);
  return Number.isNaN(ms) ? Date.now() : ms;
}

/** The same; NaN where it doesn't say. */
export async function toldTime(docker: Docker): Promise<number> {
  const { SystemTime } = (await docker.info()) as { SystemTime?: string };
  return Date.parse(SystemTime ?? '');
}
