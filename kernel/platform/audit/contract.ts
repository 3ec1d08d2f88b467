import type { AuditEntry } from './entry.js';

export interface AuditRecord extends AuditEntry {
  /** Rises with time, as far as one instance writes. */
  id: number;
  /** How often the same was refused within the minute; of a success 1. */
  times: number;
  /** When the last of them was. */
  last_at: string;
}

/** Which rows of the trail are asked for; what is left out matches all. */
export interface AuditQuery {
  member_id?: number;
  operation?: string;
  target?: string;
  /** `success`, `refused` for whatever wasn't one, or the code of a refusal. */
  outcome?: string;
  /** ISO 8601; the first moment, and the one after the last. */
  from?: string;
  to?: string;
  /** The id of the last row of the page before. */
  before?: number;
  limit: number;
}

/** The reading side of the audit trail. */
export interface AuditApi {
  'audit.list': { input: AuditQuery; answer: AuditRecord[] };
}
