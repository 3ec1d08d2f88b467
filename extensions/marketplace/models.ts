import type { CheckedBundle, Database, Manifest, RowOf } from '../../kernel/contract/index.js';
import type { ExtensionType, VersionStatus } from './contract.js';

/** Part of a manifest that lists show: everything but the two fields that may be large. */
export type About = Omit<Manifest, 'contributes' | 'config'>;

/** Ids of published versions. Each belongs to its owner, or to the source it came from. */
function extensions(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'extensions',
    {
      id: string(64, { primaryKey: true }),
      type: string<ExtensionType>(16),
      /** The owner's id and name stay when the member is deleted. An id from a source has none. */
      owner_id: integer({ allowNull: true }),
      owner_name: string(64, { allowNull: true }),
      source: string(1000, { allowNull: true }),
      downloads: integer(),
      created_at: time(),
    },
    { indexes: [{ name: 'marketplace_extensions_owner', fields: ['owner_id'] }] },
  );
}

/** Published and imported versions. */
function versions(db: Database) {
  const { string, text, integer, json, time } = db.columns;
  return db.define(
    'versions',
    {
      /** Identifies the version to the blobs, even after its id is gone. */
      number: integer({ primaryKey: true, autoIncrement: true }),
      id: string(64),
      version: string(200),
      status: string<VersionStatus>(16),
      /** 1 for the newest approved version of its id, otherwise 0. */
      newest: integer<0 | 1>(),
      category: string(64),
      /** Id, name, description, author and tags in lower case. */
      search: text(),
      /** Tags in lower case, with a comma before and after each. */
      tags: text(),
      about: json<About>(),
      manifest: json<Manifest>(),
      readme: text(),
      files: json<CheckedBundle['files']>(),
      unpacked_bytes: integer(),
      /** Size of the ZIP. */
      bytes: integer(),
      content_hash: string(71),
      public_key: string(64, { allowNull: true }),
      signature: string(128, { allowNull: true }),
      publisher_id: integer({ allowNull: true }),
      publisher_name: string(64, { allowNull: true }),
      source: string(1000, { allowNull: true }),
      reason: text({ allowNull: true }),
      reviewer_id: integer({ allowNull: true }),
      reviewer_name: string(64, { allowNull: true }),
      created_at: time(),
      reviewed_at: time({ allowNull: true }),
    },
    {
      indexes: [
        { name: 'marketplace_versions_name', fields: ['id', 'version'], unique: true },
        { name: 'marketplace_versions_newest', fields: ['id'], unique: true, where: { newest: 1 } },
        { name: 'marketplace_versions_hash', fields: ['content_hash'] },
        { name: 'marketplace_versions_status', fields: ['status', 'number'] },
        { name: 'marketplace_versions_publisher', fields: ['publisher_id', 'status'] },
      ],
    },
  );
}

/** Publishers' keys that administrators trust. */
function trustedKeys(db: Database) {
  const { string, integer, time } = db.columns;
  return db.define(
    'trusted_keys',
    {
      id: integer({ primaryKey: true, autoIncrement: true }),
      name: string(64),
      public_key: string(44),
      added_by_id: integer(),
      added_by_name: string(64),
      created_at: time(),
    },
    { indexes: [{ name: 'marketplace_trusted_keys_key', fields: ['public_key'], unique: true }] },
  );
}

export const defineModels = (db: Database) => ({ extensions: extensions(db), versions: versions(db), trustedKeys: trustedKeys(db) });

export type Models = ReturnType<typeof defineModels>;
export type ExtensionRow = RowOf<Models['extensions']>;
export type VersionRow = RowOf<Models['versions']>;
export type TrustedKeyRow = RowOf<Models['trustedKeys']>;
