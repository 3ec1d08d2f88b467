import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { randomOf } from './words.js';

/** An image to upload. */
export interface Attachment {
  filename: string;
  mime_type: string;
  bytes: Buffer;
}

/** Sides of noise whose images are as large as those that theirs attaches: 450,502 bytes of PNG and 83,555 of JPEG. */
const sides = { png: 387, jpeg: 374 };

type Images = Readonly<Record<keyof typeof sides, Buffer>>;

/** Images that can be decoded, to be made different from each other by what follows their end. */
export class Attachments {
  readonly #images: Images;

  private constructor(images: Images) {
    this.#images = images;
  }

  static async open(): Promise<Attachments> {
    const noise = (side: number) => sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
    return new Attachments({
      png: await noise(sides.png).png().toBuffer(),
      jpeg: await noise(sides.jpeg).jpeg({ quality: 65 }).toBuffer(),
    });
  }

  /** Returns one or two images, each different from all others. */
  some(): Attachment[] {
    const both = Math.random() < 0.25;
    const kinds = both ? (['png', 'jpeg'] as const) : [randomOf(['png', 'jpeg'] as const) ?? 'png'];
    return kinds.map((kind) => ({
      filename: `picture.${kind}`,
      mime_type: `image/${kind}`,
      bytes: Buffer.concat([this.#images[kind], randomBytes(16)]),
    }));
  }
}
