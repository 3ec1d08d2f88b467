/**
 * The program that makes one thumbnail behind walls. It writes a byte when it starts and then the picture to file descriptor 3, and ends. sharp
 * runs as WebAssembly, whose decoders reach only their own memory; its native build would need Node's permission for addons, and executable
 * files in the view.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
// sharp falls back to this build without a native one; the import makes the need explicit.
import '@img/sharp-wasm32/sharp.node';
import sharp from 'sharp';
import { closeInherited } from '../sandbox/inherited.js';
import { max_pixels, max_side } from './limits.js';

const [file = '', ...inherited] = process.argv.slice(2);
closeInherited(inherited.map(Number));

const pipe = new Socket({ fd: 3, readable: false, writable: true });
const bytes = readFileSync(file);
// Everything else that libvips can load, such as SVG, PDF and its own formats, stays blocked.
sharp.block({ operation: ['VipsForeignLoad'] });
const loaders = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'];
sharp.unblock({ operation: loaders.map((format) => `VipsForeignLoad${format}Buffer`) });
sharp.concurrency(1);
sharp.cache(false);
pipe.write('+');
try {
  const image = sharp(bytes, { limitInputPixels: max_pixels, sequentialRead: true }).autoOrient();
  const small = image.resize({ width: max_side, height: max_side, fit: 'inside', withoutEnlargement: true });
  pipe.write(await small.webp({ quality: 80 }).toBuffer());
} catch {
  // Not an image, or a damaged one: there is no thumbnail.
}
pipe.end(() => process.exit(0));
