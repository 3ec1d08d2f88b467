import type { Cleaner } from '../../contract/maintenance.js';
import type { Listeners } from '../../core/events/listeners.js';
import type { Idempotency } from '../../core/invoke/idempotency.js';
import type { AuditTrail } from '../audit/trail.js';
import type { BlobStore } from '../data/blobs.js';

interface Parts {
  audit: AuditTrail;
  idempotency: Idempotency;
  listeners: Listeners;
  blobs: BlobStore;
}

/**
 * How long the kernel keeps what grows by itself: audit rows as long as is set, idempotency keys 24 hours, events of the outbox
 * seven days, blobs that nobody holds an hour. Its other tables have a row for each extension, member, setting or
 * blob, and go with those.
 */
export function kernelCleaners({ audit, idempotency, listeners, blobs }: Parts): Cleaner[] {
  return [
    { name: 'audit', clean: () => audit.sweep() },
    { name: 'idempotency', clean: () => idempotency.sweep() },
    { name: 'outbox', clean: () => listeners.sweep() },
    { name: 'blobs', clean: () => blobs.sweep() },
  ];
}
