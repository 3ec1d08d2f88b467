import { type Joi, label } from '../../kernel/contract/index.js';
import { kinds as allKinds } from './kinds.js';

/** PostgreSQL doesn't accept NUL. */
const withoutNul = /^[^\0]*$/;
/** An address that a browser may be sent to, or a path on this platform; `//host` is neither. */
const linkShape = /^(https?:\/\/[^\s\0]+|\/(?![/\\])[^\s\0]*)$/i;

export const id = (j: Joi) => j.number().integer().min(1).max(Number.MAX_SAFE_INTEGER);
export const memberId = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
export const source = (j: Joi) => j.string().valid('schedule', 'ai_message', 'system').label('NotificationSource');
const kind = (j: Joi) =>
  j
    .string()
    .valid(...allKinds)
    .label('NotificationKind');
const status = (j: Joi) => j.string().valid('pending', 'sent', 'read').label('NotificationStatus');
export const title = (j: Joi) => label(j, 200);
export const summary = (j: Joi) => j.string().max(4_000).allow('').pattern(withoutNul, 'text');
export const link = (j: Joi) =>
  j
    .string()
    .max(2_000)
    .allow(null)
    .pattern(linkShape, 'path, or http or https address')
    .description('A path on this platform, or an http or https address');
export const channelName = (j: Joi) =>
  j
    .string()
    .max(64)
    .pattern(/^[a-z0-9][a-z0-9._-]*$/, 'channel name');

/** UTC without a zone, which JSON Schema's `date-time` (RFC 3339) would require. */
const time = (j: Joi) =>
  j
    .string()
    .pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
    .description('ISO 8601 in UTC, without a zone');

export const notification = (j: Joi) =>
  j
    .object({
      id: id(j).required(),
      source: source(j).required(),
      kind: kind(j).required(),
      title: j.string().required(),
      summary: j.string().allow('').required(),
      link: j.string().allow(null).required(),
      status: status(j).required(),
      im_channel: j.string().allow('').required(),
      count: j.number().integer().min(1).required(),
      error: j.string().allow(null).required(),
      created_at: time(j).required(),
      read_at: time(j).allow('').required(),
      session_id: j.string().guid().allow(null).required(),
      message_id: j.string().guid().allow(null).required(),
      task_id: j.string().guid().allow(null).required(),
      approval_id: j.string().allow(null).required(),
      schedule_id: memberId(j).allow(null).required(),
      run_id: memberId(j).allow(null).required(),
      node_id: memberId(j).allow(null).required(),
      extension_id: j.string().allow(null).required(),
      from_member_id: memberId(j).allow(null).required(),
    })
    .label('Notification');

const deliveryStatus = (j: Joi) => j.string().valid('waiting', 'accepted', 'failed').label('DeliveryStatus');

const delivery = (j: Joi) =>
  j
    .object({
      channel: j.string().required(),
      status: deliveryStatus(j).required(),
      error: j.string().allow(null).required(),
      attempts: j.number().integer().min(0).required(),
    })
    .label('Delivery');

export const notificationDetail = (j: Joi) =>
  notification(j)
    .keys({ deliveries: j.array().items(delivery(j)).required() })
    .label('NotificationDetail');

const sources = (j: Joi) => j.array().items(source(j)).unique().max(3);
const kindsOf = (j: Joi) =>
  j.array().items(kind(j)).unique().max(allKinds.length).allow(null).description('Kinds that it delivers; null: all');
const texts = (j: Joi) => j.object().pattern(j.string(), j.string().allow(''));

export const preferences = (j: Joi) =>
  j
    .object({
      channels: j
        .object()
        .pattern(
          j.string(),
          j
            .object({
              enabled: j.boolean().required(),
              sources: sources(j).required(),
              kinds: kindsOf(j).required(),
              settings: texts(j).required(),
              secrets: j.object().pattern(j.string(), j.boolean()).required().description('Whether each secret is set'),
            })
            .label('ChannelPreference'),
        )
        .required(),
    })
    .label('Preferences');

export const channelChanges = (j: Joi) =>
  j
    .object()
    .pattern(
      j.string(),
      j
        .object({
          enabled: j.boolean(),
          sources: sources(j),
          kinds: kindsOf(j),
          settings: j.object().pattern(j.string(), j.string().max(2_000).allow('').pattern(withoutNul, 'text')).max(20),
        })
        .label('ChannelChange'),
    )
    .min(1)
    .max(50);

export const channel = (j: Joi) =>
  j
    .object({
      name: j.string().required(),
      title: j.string().required(),
      fields: j
        .array()
        .items(
          j
            .object({
              name: j.string().required(),
              label: j.string().required(),
              secret: j.boolean().required(),
              required: j.boolean().required(),
              description: j.string().allow('').required(),
            })
            .label('ChannelField'),
        )
        .required(),
    })
    .label('Channel');
