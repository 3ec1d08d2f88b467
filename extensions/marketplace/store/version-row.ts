import type { BundleSignature, CheckedBundle, Manifest } from '../../../kernel/contract/index.js';
import type { Publisher, VersionStatus } from '../contract.js';

/** What lists show of a manifest: all but the two parts that may be large. */
export type About = Omit<Manifest, 'contributes' | 'config'>;

/** A version as lists need it. */
export interface StoredVersion {
  /** Its own, whatever becomes of its name. */
  number: number;
  id: string;
  version: string;
  status: VersionStatus;
  about: About;
  content_hash: string;
  bytes: number;
  signature: BundleSignature | null;
  publisher: Publisher | null;
  source: string | null;
  reason: string | null;
  reviewer: Publisher | null;
  created_at: string;
  reviewed_at: string | null;
}

/** All that is known of a version. */
export interface WholeVersion extends StoredVersion {
  manifest: Manifest;
  readme: string;
  files: CheckedBundle['files'];
  unpacked_bytes: number;
}

export interface Row {
  number: number;
  id: string;
  version: string;
  status: VersionStatus;
  about: string;
  content_hash: string;
  bytes: number;
  public_key: string | null;
  signature: string | null;
  publisher_id: number | null;
  publisher_name: string | null;
  source: string | null;
  reason: string | null;
  reviewer_id: number | null;
  reviewer_name: string | null;
  created_at: string;
  reviewed_at: string | null;
}

export interface WholeRow extends Row {
  manifest: string;
  readme: string;
  files: string;
  unpacked_bytes: number;
}

const names = [
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
];

/** The columns of a {@link Row}, of the table that `v` stands for. */
export const columns = names.map((name) => `v.${name}`).join(', ');
export const wholeColumns = `${columns}, v.manifest, v.readme, v.files, v.unpacked_bytes`;

export function toVersion(row: Row): StoredVersion {
  const { number, id, version, status, content_hash, bytes, source, reason, created_at, reviewed_at } = row;
  return {
    number,
    id,
    version,
    status,
    about: JSON.parse(row.about) as About,
    content_hash,
    bytes,
    signature: signatureOf(row.public_key, row.signature),
    publisher: personOf(row.publisher_id, row.publisher_name),
    source,
    reason,
    reviewer: personOf(row.reviewer_id, row.reviewer_name),
    created_at,
    reviewed_at,
  };
}

export function toWhole(row: WholeRow): WholeVersion {
  const { readme, unpacked_bytes } = row;
  const [manifest, files] = [JSON.parse(row.manifest) as Manifest, JSON.parse(row.files) as WholeVersion['files']];
  return { ...toVersion(row), manifest, readme, files, unpacked_bytes };
}

export function personOf(member_id: number | null, username: string | null): Publisher | null {
  return member_id === null || username === null ? null : { member_id, username };
}

export function signatureOf(public_key: string | null, signature: string | null): BundleSignature | null {
  return public_key === null || signature === null ? null : { public_key, signature };
}
