import type { Door } from '../../contract/operation.js';

/** What the audit trail keeps of one use of an operation. */
export interface AuditEntry {
  /** When, ISO 8601 in UTC. */
  at: string;
  /** For whom it ran, of a login whose; 0 where nobody was known. */
  member_id: number;
  /** The user name that they had then; of a login that was refused the member's whose name was given. Empty where nobody was known. */
  username: string;
  operation: string;
  door: Door;
  /** The extension that called in the member's name, as a plugin does in the course of a call; else empty. */
  via: string;
  /** The client's network address, after trusted proxies; empty for callers in this process. */
  address: string;
  /** The id of the whole request: a plugin's calls in the course of a call have the id of that call. */
  request_id: string;
  /** Which record it was about: what its path names, several with `/` between them, or what its handler has told. */
  target: string;
  /** `success`, or the code of the failure with which it was refused. */
  outcome: string;
  /** Secrets are masked. Of what was refused, nothing. */
  input: object;
}

/** Stands for the operation where a request was one too many: it is refused before it comes to one. */
export const over_limit = 'http.limit';

/** What the columns of the trail hold at most, in characters. */
export const longest = { address: 64, target: 256, username: 64, outcome: 64, via: 64 } as const;
