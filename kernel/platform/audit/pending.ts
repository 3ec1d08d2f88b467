import type { Caller, Operation } from '../../contract/operation.js';
import type { ActiveOperation } from '../../core/host/catalog.js';
import { redactFields } from '../log/redaction.js';
import { longest } from './entry.js';
import type { AuditTrail } from './trail.js';

export interface Audited {
  active: ActiveOperation;
  caller: Caller;
  request_id: string;
  /** The extension that calls in somebody's name; empty where none does. */
  via: string;
}

type Identity = Pick<Caller, 'member_id' | 'username'>;

/** The row of a running operation that must be written with its effect, or with its refusal. */
export class PendingAudit {
  readonly #trail: AuditTrail;
  readonly #audited: Audited;
  #identity: Identity;
  #target = '';
  #input: object = {};
  #written = false;

  constructor(trail: AuditTrail, audited: Audited) {
    this.#trail = trail;
    this.#audited = audited;
    this.#identity = audited.caller;
  }

  /** Itself where the operation is one of this extension's. */
  of(extension: string): PendingAudit | undefined {
    return this.#audited.active.extension === extension ? this : undefined;
  }

  /** Which record the operation is about, where its path doesn't say it. */
  about(target: string | number): void {
    this.#target = String(target)
      .replace(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .slice(0, longest.target);
  }

  /** Whom a caller that nobody knew has shown itself to be, or, with the id 0, whose name it gave. */
  identify({ member_id, username }: Identity): void {
    if (this.#audited.caller.member_id === 0) this.#identity = { member_id, username };
  }

  /** The input as it was sent: the target is read from it. */
  asked(input: unknown): void {
    const { path } = this.#audited.active.operation;
    const given = (input ?? {}) as Readonly<Record<string, unknown>>;
    const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => given[key]);
    if (values.length > 0) this.about(values.map(shown).join('/'));
  }

  /** The input as it was found to be good. */
  accepted(input: object): void {
    this.#input = redactFields(masked(input, this.#audited.active.operation));
  }

  /** Writes the row of a success, unless it stands already or only refusals are wanted. Gives whether it has written it. */
  async flush(): Promise<boolean> {
    if (this.#written || this.#audited.active.operation.audited === 'refused') return false;
    this.#written = true;
    try {
      await this.#trail.write({ ...this.#entry('success'), input: this.#input });
      return true;
    } catch (fault) {
      this.#written = false;
      throw fault;
    }
  }

  /** The transaction that held the row was rolled back. */
  undo(): void {
    this.#written = false;
  }

  refused(code: string): void {
    this.#trail.refused({ ...this.#entry(code), input: {} });
  }

  #entry(outcome: string) {
    const { active, caller, request_id, via } = this.#audited;
    const { member_id } = this.#identity;
    const address = caller.address.slice(0, longest.address);
    const username = this.#identity.username.slice(0, longest.username);
    return {
      at: this.#trail.now(),
      member_id,
      username,
      operation: active.id,
      door: caller.door,
      via: via.slice(0, longest.via),
      address,
      request_id,
      target: this.#target,
      outcome: outcome.slice(0, longest.outcome),
    };
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function masked(input: object, { secrets = [] }: Operation): object {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, secrets.includes(key) ? '[redacted]' : value]));
}
