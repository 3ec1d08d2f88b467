import type { Clock } from '../../kernel/contract/index.js';
import type { SigningKeys } from './keys.js';
import type { CredentialHolder } from './store/logins.js';

const issuer = 'platform';
const audience = 'platform';

/** Claims of a verified access token. */
export interface Claims {
  member_id: number;
  version: number;
  login_id: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
}

/** Signs and verifies access tokens: JWT, HS256, with the key id in the header. */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;
  readonly #ttl_s: number;

  constructor(keys: SigningKeys, clock: Clock, ttl_s: number) {
    this.#keys = keys;
    this.#clock = clock;
    this.#ttl_s = ttl_s;
  }

  /** Signs a token for a login; `rotation` counts its refreshes, so that each token has a unique id. */
  async sign(holder: CredentialHolder, login: { id: string; rotation: number }): Promise<{ access_token: string; expires_in: number }> {
    const { token } = await import('@hapi/jwt');
    const { kid, key } = await this.#keys.signing();
    const claims = {
      sub: String(holder.id),
      role: holder.role,
      ver: holder.version,
      jti: `${login.id}.${login.rotation}`,
      iss: issuer,
      aud: audience,
    };
    const options = { header: { kid }, now: this.#clock.now(), ttlSec: this.#ttl_s };
    return { access_token: token.generate(claims, { key, algorithm: 'HS256' }, options), expires_in: this.#ttl_s };
  }

  /** Verifies a token; undefined if it is not ours or has expired. */
  async verify(text: string): Promise<Claims | undefined> {
    const { token } = await import('@hapi/jwt');
    const artifacts = accepted(() => token.decode(text));
    const { kid } = (artifacts?.decoded.header ?? {}) as { kid?: unknown };
    const key = typeof kid === 'string' ? await this.#keys.find(kid) : undefined;
    if (!artifacts || !key) return undefined;
    return accepted(() => {
      token.verify(artifacts, { key, algorithm: 'HS256' }, { iss: issuer, aud: audience, sub: false, now: this.#clock.now() });
      return claimsOf(artifacts.decoded.payload);
    });
  }
}

/** Runs a check; undefined if it throws, because @hapi/jwt rejects tokens by throwing. */
function accepted<T>(check: () => T): T | undefined {
  try {
    return check();
  } catch {
    return undefined;
  }
}

function claimsOf(payload: unknown): Claims | undefined {
  const { sub, ver, jti, exp } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof ver !== 'number' || typeof jti !== 'string' || typeof exp !== 'number') return undefined;
  return { member_id: Number(sub), version: ver, login_id: jti.slice(0, jti.lastIndexOf('.')), expires_at: exp * 1000 };
}
