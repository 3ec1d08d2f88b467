import { backup_name, type Joi, type Operations, type Subject, type SystemApi } from '../../kernel/contract/index.js';

const path = '/api/admin/maintenance';

const file = (j: Joi) => j.string().pattern(backup_name).description('Name of the archive in the folder `backups` of the data folder');
const count = (j: Joi) => j.number().integer().min(0);
const named = (j: Joi) => ({ name: j.string().required() });

const record = (j: Joi) => j.object({ file: file(j).required(), bytes: count(j).required(), created_at: j.string().isoDate().required() });

const report = (j: Joi) =>
  j.object({
    file: file(j).required(),
    bytes: count(j).required(),
    sha256: j
      .string()
      .pattern(/^[0-9a-f]{64}$/)
      .required(),
    tables: count(j).required(),
    rows: count(j).required(),
    blobs: count(j).required(),
    left_out: count(j)
      .required()
      .description("Number of files in extensions' own folders that the archive lacks or has in another state; counted up to a hundred"),
    left_out_files: j
      .array()
      .items(j.object({ name: j.string().required(), why: j.string().required() }))
      .required()
      .description('Their paths below the data folder, and the reasons'),
    missing_blobs: count(j).required().description('Number of blobs that are missing or damaged; the log names them'),
    duration_ms: count(j).required(),
    removed: j.array().items(file(j)).required().description('Older archives that were deleted'),
    needs_secret_key: j.boolean().valid(true).required().description('The master key is not in the archive: keep it elsewhere'),
  });

/** Time limit, because large installations take long. */
const backup_limit_ms = 2 * 3_600_000;
const cleanup_limit_ms = 30 * 60_000;
/** Limit of one piece of an archive, because archives may be larger than memory. */
const piece_bytes = 16 * 1024 * 1024;

const maintenance: Subject = { name: 'Backups and maintenance', description: 'Backups of the whole installation, and cleanups.' };

/** The operations for backups and cleanups. */
export const maintenanceOperations = {
  'maintenance.cleanup': {
    summary: 'Deletes old data now, as happens every hour, and reports how much was deleted.',
    subject: maintenance,
    method: 'POST',
    path: `${path}/cleanup`,
    who: 'admin',
    audience: 'admin',
    answer: (j) =>
      j.object({
        removed: j
          .array()
          .items(j.object({ ...named(j), rows: count(j).required(), ms: count(j).required() }))
          .required(),
        failed: j
          .array()
          .items(j.object({ ...named(j), code: j.string().required(), message: j.string().required() }))
          .required(),
      }),
    failures: ['maintenance_running'],
    audited: true,
    schedulable: true,
    timeout_ms: cleanup_limit_ms,
  },
  'maintenance.backup': {
    summary: "Writes a backup of the whole platform to one archive in the server's data folder, and deletes the oldest archives.",
    subject: maintenance,
    method: 'POST',
    path: `${path}/backup`,
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({ keep: j.number().integer().min(1).max(365).default(7).description('Number of archives to keep, including the new one') }),
    answer: report,
    failures: ['maintenance_running', 'backup_failed'],
    audited: true,
    dangerous: true,
    schedulable: true,
    progress: true,
    idempotent: 'external',
    timeout_ms: backup_limit_ms,
  },
  'backups.list': {
    summary: 'Lists the archives in the data folder of the server that answers, latest first.',
    subject: maintenance,
    method: 'GET',
    path: `${path}/backups`,
    who: 'admin',
    audience: 'admin',
    answer: (j) => j.array().items(record(j)),
  },
  'backups.read': {
    summary: 'Returns a piece of an archive, to copy it elsewhere; an empty one after its end.',
    subject: maintenance,
    method: 'GET',
    path: `${path}/backups/{file}/content`,
    who: 'admin',
    audience: 'admin',
    kind: 'file',
    input: (j) =>
      j.object({
        file: file(j).required(),
        offset: count(j).default(0).description('Start of the piece in bytes'),
        bytes: j.number().integer().min(1).max(piece_bytes).default(piece_bytes).description('Maximum length of the piece'),
      }),
    failures: ['backup_not_found'],
    audited: true,
  },
  'backups.delete': {
    summary: 'Deletes an archive permanently.',
    subject: maintenance,
    method: 'DELETE',
    path: `${path}/backups/{file}`,
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ file: file(j).required() }),
    failures: ['backup_not_found'],
    audited: true,
    dangerous: true,
  },
} satisfies Partial<Operations<SystemApi>>;
