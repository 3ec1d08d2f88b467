import sharp from 'sharp';
import type { Test } from 'tap';
import { Containment } from '../../../../kernel/platform/sandbox/walls/containment.js';
import { Thumbnailer } from '../../../../kernel/platform/thumbnails/thumbnailer.js';
import { temporaryFolder } from '../../../helpers/platform.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Opens a maker of thumbnails that makes them where walls are refused too. */
export async function open(t: Test): Promise<Thumbnailer> {
  const data_dir = await temporaryFolder(t);
  const walls = new Containment({ data_dir, trusted: ['kernel.thumbnails'] });
  const thumbnails = new Thumbnailer({ walls, data_dir, log });
  t.teardown(async () => {
    await thumbnails.dispose();
    await walls.dispose();
  });
  return thumbnails;
}

export const blue = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#3366cc' } });
