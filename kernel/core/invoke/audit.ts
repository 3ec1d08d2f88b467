import type { Caller } from '../../contract/operation.js';
import type { ActiveOperation } from '../catalog/catalog.js';

/** One use of an audited operation. */
export interface Audited {
  active: ActiveOperation;
  caller: Caller;
  request_id: string;
  /** The extension that calls in somebody's name; empty where none does. */
  via: string;
}

/** The audit trail, as invoking uses it. */
export interface Audit {
  /** The row of an operation that begins; undefined where it leaves none. */
  begin(audited: Audited): AuditRow | undefined;
}

/** The row of a running operation that must be written with its effect, or with its refusal. */
export interface AuditRow {
  /** Itself where the operation is one of this extension's. */
  of(extension: string): AuditRow | undefined;
  /** The record that the operation is about, if its path doesn't name it. */
  about(target: string | number): void;
  /** Whom a caller that nobody knew has shown itself to be, or, with the id 0, whose name it gave. */
  identify(caller: Pick<Caller, 'member_id' | 'username'>): void;
  /** The input as it was sent: the target is read from it. */
  asked(input: unknown): void;
  /** The input as it was found to be good. */
  accepted(input: object): void;
  /** Writes the row of a success, unless it stands already or only refusals are wanted. Gives whether it has written it. */
  flush(): Promise<boolean>;
  /** The transaction that held the row was rolled back. */
  undo(): void;
  refused(code: string): void;
}

/** Refusals that are recorded: missing rights and too many requests. A request without a token has reached no operation. */
export function isRefusal({ code, status }: { code: string; status: number }): boolean {
  return code !== 'unauthenticated' && (status === 401 || status === 403 || status === 429);
}
