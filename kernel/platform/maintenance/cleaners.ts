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
 * Returns the cleaners of the kernel's own tables that grow: they delete audit rows after the configured time, idempotency keys after 24
 * hours, events that were not delivered after seven days, and blobs that nobody holds after an hour. Rows of its other tables belong to an
 * extension, a member, a setting or a blob, and are deleted with it.
 */
export function kernelCleaners({ audit, idempotency, listeners, blobs }: Parts): Cleaner[] {
  return [
    { name: 'audit', clean: () => audit.sweep() },
    { name: 'idempotency', clean: () => idempotency.sweep() },
    { name: 'outbox', clean: () => listeners.sweep() },
    { name: 'blobs', clean: () => blobs.sweep() },
  ];
}
