/** Publisher's key that an administrator trusts. */
export interface TrustedKey {
  id: number;
  /** Name of the publisher, 1 to 64 characters. */
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
  /** Keys by name; at most 200. */
  items: TrustedKey[];
  total: number;
}

export type TrustedKeysApi = {
  'marketplace.trusted_keys': { input: object; answer: TrustedKeyPage };
  'marketplace.trust_key': { input: NewTrustedKey; answer: TrustedKey };
  'marketplace.distrust_key': { input: { id: number }; answer: undefined };
};
