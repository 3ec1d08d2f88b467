import type { Joi, Permissions } from '../../kernel/contract/index.js';

/** Matches text without NUL, which PostgreSQL doesn't accept. */
const withoutNul = /^[^\0]*$/;
const statuses = ['under_review', 'approved', 'rejected', 'yanked'];
const types = ['skill', 'plugin'];

const time = (j: Joi) => j.string().isoDate();
const count = (j: Joi) => j.number().integer().min(0);
const text = (j: Joi) => j.string().allow('');
const list = (j: Joi) => j.array().items(j.string());

export const id = (j: Joi) => j.string().pattern(/^[a-z0-9][a-z0-9._-]{1,63}$/, 'id');
export const version = (j: Joi) =>
  j
    .string()
    .max(200)
    .pattern(/^[0-9A-Za-z.+-]+$/, 'version')
    .description('Version, such as `1.4.0`');
export const memberId = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
export const type = (j: Joi) => j.string().valid(...types);
export const status = (j: Joi) => j.string().valid(...statuses);
export const words = (j: Joi, max: number) => j.string().max(max).allow('').pattern(withoutNul, 'text');
export const reason = (j: Joi) => j.string().trim().max(2_000).pattern(withoutNul, 'text').description('Shown to its publisher');
/** Schemas of base64 texts of 32 and 64 bytes. */
export const publicKey = (j: Joi) => j.string().pattern(/^[A-Za-z0-9+/]{43}=$/, 'key');
export const signatureText = (j: Joi) => j.string().pattern(/^[A-Za-z0-9+/]{86}==$/, 'signature');
export const upstream = (j: Joi) => j.boolean().default(true).description('Whether to query the sources too');
export const page = (j: Joi) => ({
  limit: j.number().integer().min(1).max(200).default(50),
  offset: j.number().integer().min(0).max(2_147_483_647).default(0),
});

export const hash = (j: Joi) => j.string().pattern(/^sha256:[0-9a-f]{64}$/);
const permissions = (j: Joi) => j.object().unknown();
const signature = (j: Joi) => j.object({ public_key: j.string().required(), signature: j.string().required() }).allow(null);
const person = (j: Joi) => j.object({ member_id: memberId(j).required(), username: j.string().required() });

const itemKeys = (j: Joi) => ({
  id: id(j).required(),
  name: j.string().required(),
  type: type(j).required(),
  author: j.string().required(),
  version: j.string().required(),
  description: text(j).required(),
  category: text(j).required(),
  tags: list(j).required(),
  downloads: count(j).required(),
  content_hash: hash(j).required(),
  engines: j.object({ platform: j.string() }).required(),
  permissions: permissions(j).required(),
  signature: signature(j).required(),
  created_at: time(j).allow(null).required(),
  updated_at: time(j).allow(null).required(),
  source: j.string().allow(null).required(),
  installed_version: j.string().allow(null).required(),
});

export const searchPage = (j: Joi) =>
  j.object({
    items: j
      .array()
      .items(j.object(itemKeys(j)).label('Extension'))
      .required(),
    total: count(j).required(),
    unavailable: list(j).required(),
  });

const contributes = (j: Joi) =>
  j.object({
    operations: list(j).required(),
    for_members: list(j).required().description('Operations whose audience is `members`: AI employees use those freely in rooms'),
    actions: list(j).required(),
    tools: list(j).required(),
    topics: list(j).required(),
    channels: list(j).required(),
    commands: list(j).required(),
    panels: list(j).required(),
  });

const versionKeys = (j: Joi) => ({
  ...itemKeys(j),
  status: status(j).required(),
  reason: j.string().allow(null).required(),
  readme: text(j).required(),
  license: text(j).allow(null).required(),
  homepage: j.string().allow(null).required(),
  dependencies: j.object().unknown().required(),
  contributes: contributes(j).allow(null).required(),
  publisher: person(j).allow(null).required(),
  signed_by: j.string().allow(null).required(),
});

export const versionDetail = (j: Joi) => j.object(versionKeys(j)).label('ExtensionVersion');

const versionSummary = (j: Joi) =>
  j.object({
    version: j.string().required(),
    content_hash: hash(j).required(),
    signature: signature(j).required(),
    created_at: time(j).allow(null).required(),
    updated_at: time(j).allow(null).required(),
  });

export const extensionDetail = (j: Joi) =>
  j.object({ ...versionKeys(j), versions: j.array().items(versionSummary(j)).required() }).label('ExtensionDetail');

const checks = (j: Joi) =>
  j.array().items(
    j.object({
      code: j.string().valid('archive', 'manifest', 'engine', 'permissions', 'signature', 'left_out', 'text').required(),
      ok: j.boolean().required(),
      message: j.string().required(),
    }),
  );

export const published = (j: Joi) =>
  j.object({
    id: id(j).required(),
    version: j.string().required(),
    type: type(j).required(),
    status: j.string().valid('under_review').required(),
    content_hash: hash(j).required(),
    checks: checks(j).required(),
  });

export const installed = (j: Joi) =>
  j.object({
    id: id(j).required(),
    type: type(j).required(),
    version: j.string().required(),
    status: j.string().valid('installed').required(),
    installed_at: time(j).required(),
    permissions: permissions(j).required(),
    changed: j.boolean().required(),
    previous: j.string().allow(null).required(),
  });

export const uninstalled = (j: Joi) =>
  j.object({
    id: id(j).required(),
    status: j.string().valid('uninstalled').required(),
    released: j
      .object({
        operations: count(j).required(),
        actions: count(j).required(),
        tools: count(j).required(),
        subscriptions: count(j).required(),
        process: count(j).required(),
      })
      .required(),
  });

const installedItem = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      name: j.string().required(),
      type: type(j).required(),
      version: j.string().required(),
      content_hash: hash(j).required(),
      permissions: permissions(j).required(),
      state: j.string().valid('loading', 'active', 'disabled', 'restarting', 'failed').required(),
      error: j.string().allow(null).required(),
      installed_at: time(j).required(),
      has_update: j.boolean().required(),
      latest_version: j.string().required(),
      yanked: j.boolean().required(),
      source: j.string().allow(null).required(),
      signed_by: j.string().allow(null).required(),
    })
    .label('InstalledExtension');

export const installedPage = (j: Joi) => j.object({ items: j.array().items(installedItem(j)).required(), total: count(j).required() });

const reviewKeys = (j: Joi) => ({
  id: id(j).required(),
  version: j.string().required(),
  name: j.string().required(),
  type: type(j).required(),
  author: j.string().required(),
  description: text(j).required(),
  status: status(j).required(),
  reason: j.string().allow(null).required(),
  content_hash: hash(j).required(),
  bytes: count(j).required(),
  publisher: person(j).allow(null).required(),
  source: j.string().allow(null).required(),
  created_at: time(j).required(),
  reviewed_at: time(j).allow(null).required(),
  reviewed_by: person(j).allow(null).required(),
});

export const review = (j: Joi) => j.object(reviewKeys(j)).label('Review');
export const reviewPage = (j: Joi) => j.object({ items: j.array().items(review(j)).required(), total: count(j).required() });

const permissionNames = ['operations', 'events', 'network', 'storage', 'env', 'public_routes'] as const satisfies (keyof Permissions)[];
const permissionChanges = (j: Joi) =>
  j.array().items(
    j.object({
      permission: j
        .string()
        .valid(...permissionNames)
        .required(),
      value: j.string().required(),
    }),
  );

export const reviewDetail = (j: Joi) =>
  j
    .object({
      ...reviewKeys(j),
      manifest: j.object().unknown().required(),
      files: j
        .array()
        .items(j.object({ name: j.string().required(), bytes: count(j).required() }))
        .required(),
      unpacked_bytes: count(j).required(),
      readme: text(j).required(),
      compared_with: j.string().allow(null).required(),
      permissions: j.object({ added: permissionChanges(j).required(), removed: permissionChanges(j).required() }).required(),
      signature: signature(j).required(),
      signature_change: j.string().valid('none', 'added', 'removed', 'changed').required(),
      signed_by: j.string().allow(null).required(),
      contributes: contributes(j).required(),
      checks: checks(j).required(),
    })
    .label('ReviewDetail');

export const ownership = (j: Joi) => j.object({ id: id(j).required(), owner: person(j).required() });
