import { type Failure, fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import type { Body } from '../bodies.js';
import { Visit, type VisitParts } from './visit.js';

/** Limit of concurrent door requests of one member, or of one address without a login. */
const per_caller = 100;

/** Tracks the open requests of doors, so that each can be ended. */
export class Visits {
  readonly #open = new Set<Visit>();

  /** Registers a request, and counts its body until the end. Fails with `rate_limited` if the caller has too many. */
  admit(parts: VisitParts, body: Body): Visit {
    const { member_id, address } = parts.caller;
    const isSame = ({ caller }: Visit) => caller.member_id === member_id && (member_id !== 0 || caller.address === address);
    const open = [...this.#open].filter(isSame);
    if (open.length >= per_caller) {
      throw fail('rate_limited', `You have ${open.length} requests in progress here; wait for some to finish`, { retry_after: 1 });
    }
    const visit = new Visit(parts, (ended) => {
      this.#open.delete(ended);
      body.leave();
    });
    this.#open.add(visit);
    return visit;
  }

  /** Returns the callers of open requests. */
  callers(): Caller[] {
    return [...this.#open].map(({ caller }) => caller);
  }

  /** Ends the requests of a member, or only those of one token. */
  disconnect({ member_id, token_id }: { member_id: number; token_id?: string }): void {
    const meant = ({ caller }: Visit) => caller.member_id === member_id && (token_id === undefined || caller.token_id === token_id);
    this.#end(meant, fail('invalid_token', 'The token was revoked'));
  }

  /** Ends the requests of a removed extension. */
  stop(extension: string): void {
    const failure = fail('extension_unavailable', `Extension '${extension}' was stopped`);
    this.#end((visit) => visit.extension === extension, failure);
  }

  close(): void {
    this.#end(() => true, fail('shutting_down', 'The platform is shutting down', { retry_after: 1 }));
  }

  #end(meant: (visit: Visit) => boolean, why: Failure): void {
    for (const visit of [...this.#open]) if (meant(visit)) visit.end(why);
  }
}
