import { createRequire } from 'node:module';

type Hash = (password: string, options: object) => Promise<string>;

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { hash: Hash };
const { hash } = argon2;
const hashes = new Map<string, Promise<string>>();

/**
 * Makes this process compute the hash of a password once, because the members of all runs have the same one and a hash costs more than a
 * run's calls. Nothing else about passwords changes.
 */
export function hashOnce(): void {
  argon2.hash = (password, options) => {
    const known = hashes.get(password) ?? hash(password, options);
    hashes.set(password, known);
    return known;
  };
}
