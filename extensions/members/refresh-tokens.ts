import type { LoginRow } from './models.js';

/** Time for which a refresh token can still be used after its successor was used, because answers may arrive late. */
export const grace_ms = 30_000;
/** Limit of unused tokens of one generation beside the latest; the oldest is dropped. */
const max_others = 20;

/** Refresh token that can still be used, beside the latest. */
export interface OtherToken {
  hash: string;
  generation: number;
}

type TokenColumns = Pick<LoginRow, 'refresh_hash' | 'generation' | 'generation_at' | 'other_hashes'>;

/**
 * Returns a login's columns after the token `used` was exchanged for `next`; undefined if `used` is too old, so that it
 * may be stolen. The first use of a token of the current generation starts a new one. A token of the generation before
 * gives a further one of the current generation: its answer may have been lost, or two tabs may have used it at once.
 */
export function exchange(login: TokenColumns, { used, next, now }: { used: string; next: string; now: number }): TokenColumns | undefined {
  const { refresh_hash, generation, generation_at, other_hashes } = login;
  const latest = { hash: refresh_hash, generation };
  const found = [latest, ...other_hashes].find(({ hash }) => hash === used);
  if (!found) return undefined;
  const age = generation - found.generation;
  if (age === 0) {
    const usable = other_hashes.filter((other) => other.generation >= generation - 1);
    return {
      refresh_hash: next,
      generation: generation + 1,
      generation_at: new Date(now).toISOString(),
      other_hashes: [...usable, latest],
    };
  }
  if (age > 1 && !isWithinGrace(generation_at, now)) return undefined;
  return { refresh_hash: next, generation, generation_at, other_hashes: limited([...other_hashes, latest], generation) };
}

function isWithinGrace(since: string | null, now: number): boolean {
  return since !== null && now - Date.parse(since) <= grace_ms;
}

/** Drops the oldest tokens of the current generation beyond the limit. */
function limited(others: readonly OtherToken[], generation: number): OtherToken[] {
  const current = others.filter((other) => other.generation === generation);
  return [...others.filter((other) => other.generation !== generation), ...current.slice(-max_others)];
}
