/** A person of a history. Ann alone may see the secret; Dan is hostile. */
export type Person = 'ann' | 'ben' | 'cyd' | 'dan';
/** Others than the four people: the administrator, and a plugin's own member, which is hostile too. */
export type Actor = Person | 'admin' | 'plugin';

export const people: readonly Person[] = ['ann', 'ben', 'cyd', 'dan'];
/** Everybody who must not notice the secret. */
export const readers: readonly Actor[] = ['ben', 'cyd', 'dan', 'admin', 'plugin'];

/** Answer of the asker when an AI employee waits for approval. `leave`: none; the task goes on waiting. */
export type Decision = 'approve' | 'deny' | 'leave';

/**
 * A call. Its input may name what earlier steps made: `{{room1}}` stands for the id that a step kept as `room1`, `{{secret}}` for the secret
 * and `{{run}}` for the tag that makes user names unique.
 */
export interface Step {
  by: Actor;
  operation: string;
  input: Record<string, unknown>;
  /** Name under which the answer's id is kept. */
  keep?: string;
  /** Default: `deny`. */
  decision?: Decision;
}

/** Two values of a secret, of the same length. */
export type Values = readonly [string, string];

/** A random history and the two values of its secret. */
export interface History {
  seed: number;
  /** Where the secret is. */
  placement: string;
  values: Values;
  /** Modes of the AI employees. */
  modes: readonly string[];
  steps: readonly Step[];
}
