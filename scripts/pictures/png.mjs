import sharp from 'sharp';

/** Limit of a picture, so that a page with several of them loads quickly. */
const max_bytes = 80_000;

/** Returns the picture with as few colours as it needs to be small. */
export async function small(png) {
  for (const colours of [128, 64, 32]) {
    const made = await sharp(png).png({ palette: true, colours, effort: 10, compressionLevel: 9, dither: 0 }).toBuffer();
    if (made.length <= max_bytes) return made;
  }
  throw new Error(`The picture can't be made smaller than ${max_bytes} bytes`);
}
