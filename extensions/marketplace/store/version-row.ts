import type { BundleSignature } from '../../../kernel/contract/index.js';
import type { Publisher } from '../contract.js';
import type { VersionRow } from '../models.js';

/** Columns that lists need. */
export const listedColumns = [
  'number',
  'id',
  'version',
  'status',
  'about',
  'content_hash',
  'bytes',
  'public_key',
  'signature',
  'publisher_id',
  'publisher_name',
  'source',
  'reason',
  'reviewer_id',
  'reviewer_name',
  'created_at',
  'reviewed_at',
] as const;

export type ListedRow = Pick<VersionRow, (typeof listedColumns)[number]>;

interface VersionPeople {
  signature: BundleSignature | null;
  publisher: Publisher | null;
  reviewer: Publisher | null;
}

/** Row with its people and its signature as one value each. */
type Version<Row> = Omit<Row, 'public_key' | 'signature' | `${'publisher' | 'reviewer'}_${'id' | 'name'}`> & VersionPeople;

/** Version as lists need it. */
export type StoredVersion = Version<ListedRow>;

type FullRow = ListedRow & Pick<VersionRow, 'manifest' | 'readme' | 'files' | 'unpacked_bytes'>;

/** Version with its large parts. */
export type FullVersion = Version<FullRow>;

export function toVersion<Row extends ListedRow>(row: Row): Version<Row> {
  const { public_key, signature, publisher_id, publisher_name, reviewer_id, reviewer_name, ...rest } = row;
  return {
    ...rest,
    signature: signatureOf(public_key, signature),
    publisher: personOf(publisher_id, publisher_name),
    reviewer: personOf(reviewer_id, reviewer_name),
  };
}

export function personOf(member_id: number | null, username: string | null): Publisher | null {
  return member_id === null || username === null ? null : { member_id, username };
}

export function signatureOf(public_key: string | null, signature: string | null): BundleSignature | null {
  return public_key === null || signature === null ? null : { public_key, signature };
}
