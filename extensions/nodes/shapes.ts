import { type Joi, label } from '../../kernel/contract/index.js';
import type { NodeStatus } from './contract.js';

/** Matches text without NUL, which PostgreSQL doesn't accept. */
const withoutNul = /^[^\0]*$/;
export const statuses: readonly NodeStatus[] = ['creating', 'online', 'offline', 'error', 'removing'];
const networks = ['internet', 'none'];

const time = (j: Joi) => j.string().isoDate();
export const id = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
export const status = (j: Joi) => j.string().valid(...statuses);
export const name = (j: Joi) => label(j, 64).min(1);
const pem = (j: Joi) => j.string().max(65_536).allow('').pattern(withoutNul, 'text');
const secret = (j: Joi) => j.string().max(1_024).allow('').pattern(withoutNul, 'text');

const tls = (j: Joi) =>
  j
    .object({ ca: pem(j), cert: pem(j), key: pem(j) })
    .description('PEM texts for an engine at tcp:// or https://; write-only. `cert` and `key` must be set together');
const ssh = (j: Joi) =>
  j
    .object({
      host_key: j.string().trim().min(1).max(16_384).pattern(withoutNul, 'text').required(),
      private_key: pem(j),
      passphrase: secret(j),
      password: secret(j),
    })
    .description('For an engine at ssh://. `host_key`: key that its host must present; the others are write-only');

const settings = (j: Joi) => ({
  image: j.string().max(512).description('Image, such as python:3.12-slim. Default: the setting nodes.image'),
  memory_limit: j.string().max(32).description('Number and unit b, k, m or g: 512m. Default: 512m'),
  cpu_limit: j.string().max(32).description('Processors, a decimal number: 1.5. Default: 1.0'),
  network: j
    .string()
    .valid(...networks)
    .description('`internet`, the default: everything but private addresses. `none`: nothing'),
});

const what = 'image, memory_limit, cpu_limit, network';

export const config = (j: Joi) => j.object({ ...settings(j), tls: tls(j), ssh: ssh(j) }).description(`${what}, tls, ssh`);

/** Schema of a node on the local engine. */
export const localConfig = (j: Joi) => j.object(settings(j)).description(what);

/** Schema of a PEM text or a boolean. A record has a boolean for each text, so sending it back changes nothing. */
const pemOrShown = (j: Joi) => j.alternatives().try(j.boolean(), pem(j));
const tlsChange = (j: Joi) =>
  j
    .object({ ca: pemOrShown(j), cert: pemOrShown(j), key: pemOrShown(j) })
    .description('PEM texts; true and false, as in the record, change nothing');

/** Schema of a change to an existing node. */
export const configChange = (j: Joi) => j.object({ tls: tlsChange(j), ssh: ssh(j) }).description('tls, ssh');

export const node = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      name: j.string().required(),
      node_type: j.string().valid('docker').required(),
      host: j.string().allow('').required(),
      config: shownConfig(j).required(),
      status: status(j).required(),
      reason: j.string().allow('').required(),
      reason_code: j.string().allow('').required(),
      since: time(j).required(),
      draining: j.boolean().required(),
      shell: j.boolean().allow(null).required(),
      walls: j.object({ fenced: j.boolean().required(), reason: j.string().allow('').required() }).required(),
      container_id: j.string().allow(null).required(),
      last_heartbeat: time(j).allow(null).required(),
      created_by: id(j).required(),
      created_at: time(j).required(),
      updated_at: time(j).required(),
    })
    .label('Node');

export const pullProgress = (j: Joi) => {
  const count = (description: string) => j.number().integer().min(0).required().description(description);
  return j.object({
    layers: count('Layers known so far'),
    layers_done: count('Layers that are pulled'),
    bytes: count('Bytes known to be pulled'),
    total_bytes: count('Bytes known so far'),
  });
};

export const health = (j: Joi) =>
  j
    .object({
      status: j.string().valid('healthy', 'unhealthy', 'starting', 'unknown').required(),
      uptime_seconds: j.number().integer().min(0).required(),
      last_heartbeat: time(j).allow(null).required(),
      reason: j.string().allow('').required(),
      since: time(j).required(),
    })
    .label('NodeHealth');

export const stats = (j: Joi) =>
  j
    .object({
      cpu_usage_percent: j.number().min(0).required().description('100 is one processor'),
      memory_usage_mb: j.number().min(0).required(),
      memory_limit_mb: j.number().min(0).required(),
      disk_usage_mb: j.number().min(0).required().description("The container's writable layer"),
    })
    .label('NodeStats');

const shownConfig = (j: Joi) =>
  j.object({
    image: j.string().required(),
    memory_limit: j.string().required(),
    cpu_limit: j.string().required(),
    network: j
      .string()
      .valid(...networks)
      .required(),
    tls: j.object({ ca: j.boolean().required(), cert: j.boolean().required(), key: j.boolean().required() }),
    ssh: j.object({
      host_key: j.string().required(),
      has_private_key: j.boolean().required(),
      has_password: j.boolean().required(),
    }),
  });
