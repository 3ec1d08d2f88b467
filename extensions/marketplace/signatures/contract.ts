/** A publisher's key that an administrator trusts. */
export interface TrustedKey {
  id: number;
  /** Whose it is, 1 to 64 characters. */
  name: string;
  /** Base64 of an Ed25519 key's 32 bytes. */
  public_key: string;
  added_by: { member_id: number; username: string };
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
}

export interface NewTrustedKey {
  name: string;
  public_key: string;
}

export interface TrustedKeyPage {
  /** By name; at most 200 can be trusted. */
  items: TrustedKey[];
  total: number;
}

export type TrustedKeysApi = {
  'marketplace.trusted_keys': { input: object; answer: TrustedKeyPage };
  'marketplace.trust_key': { input: NewTrustedKey; answer: TrustedKey };
  'marketplace.distrust_key': { input: { id: number }; answer: undefined };
};
