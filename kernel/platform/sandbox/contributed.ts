import joi from 'joi';
import type { OperationData } from '../../contract/manifest.js';
import type { Operation } from '../../contract/operation.js';
import { channelSchema, max_fields } from '../../core/host/channel.js';
import { type PatternMaker, schemaFromData } from '../../core/host/joi-schema.js';
import { operationJoi } from '../../core/host/operation-joi.js';
import { max_contributions, operationSchema } from '../../core/host/operation-schema.js';
import type { Contributed } from './messages.js';

const max_channels = 20;

const name = joi.string().max(200);
/** Names of topics and frames, as the draft requires them. */
const socketName = joi.string().pattern(/^[a-z][a-z0-9._-]{0,63}$/);

const contributed = joi
  .object<Contributed>({
    operations: joi.object().pattern(name, operationSchema.required()).max(max_contributions).required(),
    codes: joi
      .object()
      .pattern(joi.string().pattern(/^[a-z][a-z0-9_]{0,63}$/), joi.number().integer().min(400).max(599))
      .max(max_contributions)
      .required(),
    listens: joi.array().items(name).max(max_contributions).required(),
    checks: joi.array().items(name).max(max_contributions).required(),
    metrics: joi
      .array()
      .items(
        joi.object({
          name: joi
            .string()
            .pattern(/^[a-zA-Z0-9_]{1,100}$/)
            .required(),
          help: joi.string().max(500).required(),
        }),
      )
      .max(max_contributions)
      .required(),
    topics: joi
      .array()
      .items(joi.object({ name: socketName.required(), readers: joi.string().valid('member', 'admin').required() }))
      .max(max_contributions)
      .required(),
    channels: joi.array().items(channelSchema).unique('name').max(max_channels).required(),
    frames: joi
      .array()
      .items(joi.object({ type: socketName.required(), schema: joi.object().required() }))
      .max(max_contributions)
      .required(),
  })
  .required();

/** Limit of all frame schemas together, as JSON. Operations are already limited by the checked manifest. */
const frames_length = 262_144;

/**
 * Validates the contributions that a plugin's process reports. Checks the amount first: Joi validates each item of a list before it
 * counts them, and checks uniqueness pairwise.
 */
export function readContributed(value: unknown): Contributed {
  assertWithinLimits(value);
  const { value: read, error } = contributed.validate(value, { convert: false });
  if (error) throw new Error(`Its contributions are invalid: ${error.message}`);
  return read as Contributed;
}

function assertWithinLimits(value: unknown): void {
  for (const [kind, all] of Object.entries((value ?? {}) as Record<string, unknown>)) {
    const max = kind === 'channels' ? max_channels : max_contributions;
    if (typeof all === 'object' && all !== null && Object.keys(all).length > max)
      throw aboveLimit(`more than ${max} ${kind.slice(0, 100)}`);
  }
  const { channels, frames } = (value ?? {}) as Record<string, unknown>;
  for (const channel of (Array.isArray(channels) ? channels : []) as ({ fields?: unknown } | null)[])
    if (Array.isArray(channel?.fields) && channel.fields.length > max_fields)
      throw aboveLimit(`a channel with more than ${max_fields} fields`);
  if ((JSON.stringify(frames) ?? '').length > frames_length)
    throw aboveLimit(`frames whose schemas have more than ${frames_length} characters`);
}

function aboveLimit(what: string): Error {
  return new Error(`Its contributions are invalid: ${what}`);
}

/** Builds an operation with its schemas as functions. Built at once, so that an invalid one is rejected now and not in a call. */
export function operationFromData({ input, answer, ...rest }: OperationData, pattern: PatternMaker): Operation {
  const { scope, ...others } = rest as Omit<Operation, 'input' | 'answer'>;
  const inputSchema = schemaFromData(operationJoi, input, pattern) as ReturnType<NonNullable<Operation['input']>>;
  const answerSchema = answer === undefined ? undefined : schemaFromData(operationJoi, answer, pattern);
  return {
    ...others,
    ...(scope === undefined ? {} : { scope }),
    input: () => inputSchema,
    ...(answerSchema === undefined ? {} : { answer: () => answerSchema }),
  };
}
