import type { Caller, Operation } from '../../contract/operation.js';
import type { Audited, AuditRow } from '../../core/invoke/audit.js';
import { redactFields } from '../log/redaction.js';
import { max_lengths } from './entry.js';
import type { AuditTrail } from './trail.js';

type Identity = Pick<Caller, 'member_id' | 'username'>;

/** The future row of a running operation. It is written once, in the transaction of the effect; a refusal is written outside of it. */
export class PendingAudit implements AuditRow {
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

  of(extension: string): PendingAudit | undefined {
    return this.#audited.active.extension === extension ? this : undefined;
  }

  about(target: string | number): void {
    this.#target = String(target)
      .replace(/\p{Cc}/gu, ' ')
      .toWellFormed()
      .slice(0, max_lengths.target);
  }

  identify({ member_id, username }: Identity): void {
    if (this.#audited.caller.member_id === 0) this.#identity = { member_id, username };
  }

  asked(input: unknown): void {
    const { path, secrets = [] } = this.#audited.active.operation;
    const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
    const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key);
    const values = keys.filter((key) => !secrets.includes(key)).map((key) => fields[key]);
    if (values.length > 0) this.about(values.map(targetPart).join('/'));
  }

  accepted(input: object): void {
    this.#input = redactFields(masked(input, this.#audited.active.operation));
  }

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

  undo(): void {
    this.#written = false;
  }

  refused(code: string): void {
    this.#trail.refused({ ...this.#entry(code), input: {} });
  }

  #entry(outcome: string) {
    const { active, caller, request_id, via } = this.#audited;
    const { member_id } = this.#identity;
    const address = caller.address.slice(0, max_lengths.address);
    const username = this.#identity.username.slice(0, max_lengths.username);
    return {
      at: this.#trail.now(),
      member_id,
      username,
      operation: active.id,
      door: caller.door,
      via: via.slice(0, max_lengths.via),
      address,
      request_id,
      target: this.#target,
      outcome: outcome.slice(0, max_lengths.outcome),
    };
  }
}

function targetPart(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function masked(input: object, { secrets = [] }: Operation): object {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, secrets.includes(key) ? '[redacted]' : value]));
}
