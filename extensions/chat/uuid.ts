import { randomUUID } from 'node:crypto';

/** Returns a UUID of version 7 (RFC 9562), which begins with the time, so that ids sort by it. */
export function uuidAt(now_ms: number): string {
  const time = now_ms.toString(16).padStart(12, '0');
  // Version and variant are at the same positions as in a random UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
