import type { Caller } from '../../contract/operation.js';
import type { ActiveOperation } from '../catalog/catalog.js';

/** A call of an audited operation. */
export interface Audited {
  active: ActiveOperation;
  caller: Caller;
  request_id: string;
  /** Extension that makes the call on somebody's behalf; otherwise empty. */
  via: string;
}

/** Audit trail as the invoker uses it. */
export interface Audit {
  /** Starts the row of an operation; undefined if the operation is not audited. */
  begin(audited: Audited): AuditRow | undefined;
}

/** Audit row of a running operation, to be written with its effect or its refusal. */
export interface AuditRow {
  /** Returns this row if the operation belongs to the extension. */
  of(extension: string): AuditRow | undefined;
  /** Sets the record that the operation is about, if its path doesn't name it. */
  about(target: string | number): void;
  /** Sets the member that an anonymous caller has authenticated as, or with the id 0 the username that it claimed. */
  identify(caller: Pick<Caller, 'member_id' | 'username'>): void;
  /** Sets the input as sent; the target is read from it. */
  asked(input: unknown): void;
  /** Sets the validated input. */
  accepted(input: object): void;
  /** Writes the row of a success, unless it is written already or only refusals are audited. Returns whether it wrote. */
  flush(): Promise<boolean>;
  /** Marks the row as unwritten after its transaction was rolled back. */
  undo(): void;
  refused(code: string): void;
}

/** Returns whether a failure is recorded: missing rights or too many requests. A request without a token reaches no operation. */
export function isRefusal({ code, status }: { code: string; status: number }): boolean {
  return code !== 'unauthenticated' && (status === 401 || status === 403 || status === 429);
}
