/** An image of a message, as its record has it. */
export interface MessageImage {
  /** Path on the server, which ends with the image's hash. */
  url: string;
  /** Left out if the sender gave none. */
  name?: string;
  mime_type: string;
}

/** Returns the name of an image; `image.png` and the like if it has none. */
export function imageName({ name, mime_type }: Pick<MessageImage, 'name' | 'mime_type'>): string {
  return name ?? `image.${mime_type.slice(mime_type.indexOf('/') + 1)}`;
}

/** Returns the hash by which `images.get` finds an image. */
export function imageHash({ url }: Pick<MessageImage, 'url'>): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
