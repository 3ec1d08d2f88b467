import { fileURLToPath } from 'node:url';

/** The folder of a fixture extension, as built. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/extensions/${name}`, import.meta.url));
}

/** The folder of one of the platform's own extensions, as built. */
export function ownExtension(name: string): string {
  return fileURLToPath(new URL(`../../extensions/${name}`, import.meta.url));
}
