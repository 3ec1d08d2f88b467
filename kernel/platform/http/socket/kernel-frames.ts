import type { EventTypes } from '../../../contract/operation.js';
import type { PushedFrames } from '../../../contract/socket.js';

/** The frames that the kernel itself sends at `/ws`, for documentation and tests. */
export const sentFrames: PushedFrames = (j) => {
  const to = ['members'];
  const empty = j.object({});
  const text = j.string().required();
  return {
    hello: {
      description: 'The first frame: the socket is open.',
      to,
      data: j.object({
        connection_id: text,
        member_id: j.number().integer().required(),
        server_version: text,
        heartbeat_ms: j.number().integer().required().description('Milliseconds between two pings of the server'),
        resumed: j.boolean().required().description('Whether the frames since the cursor in `after` follow'),
      }),
    },
    ack: { description: 'A frame that had an `id` was handled; it has the same `id`.', to, data: empty },
    error: {
      description: 'A frame failed; it has the same `id`. `data` is the body of an error.',
      to,
      data: j.object({
        statusCode: j.number().integer().required(),
        error: text,
        message: text,
        code: text,
        details: j.array().items(j.object({ path: j.string().allow('').required(), message: text })),
        request_id: text,
      }),
    },
    pong: { description: 'The answer to `ping`, with the same `id`.', to, data: empty },
    resync: {
      description: 'Frames were missed and cannot be replayed: read again what you show.',
      to,
      data: j.object({ reason: j.string().valid('not_kept', 'frame_too_large', 'frames_lost').required() }),
    },
    presence: {
      description: 'The presence of a member; after `hello`, that of everybody who is present.',
      to: ['everyone'],
      data: j.object({
        member_id: j.number().integer().required(),
        status: j.string().valid('online', 'away', 'dnd', 'offline').required(),
        last_seen_at: j.string().isoDate().allow(null).required(),
      }),
    },
    'extension.changed': {
      description: 'An extension of this instance was loaded, stopped, replaced or removed.',
      to: ['everyone', 'extensions'],
      data: j.object({
        id: text,
        state: text.description('As `plugins.list` has it, or `removed`'),
        version: text.allow(null),
        name: j.string().description('Its id. This and the following only for readers of `extensions`'),
        error: j.string().allow(null).description('Why it is not active'),
        instance: j.string(),
      }),
    },
    log: {
      description: 'A line of the log of this instance, at most 200 a second.',
      to: ['log'],
      data: j
        .object({
          level: text,
          time: j.string().isoDate().required(),
          msg: j.string().allow(''),
          instance: text,
          dropped: j.number().integer().min(1).description('Number of omitted lines before this one'),
        })
        .unknown(),
    },
  };
};

/** The frames that the kernel itself takes at `/ws`, for documentation. */
export const takenFrames: EventTypes = (j) => {
  const topics = j.object({ topics: j.array().items(j.string().max(64)).min(1).max(100).required() });
  return {
    auth: {
      description: 'The first frame, if the request had no credentials. `token` may stand beside `type` as well.',
      data: j.object({ token: j.string().required() }),
    },
    ping: { description: 'Requests a `pong`.', data: j.object({}) },
    presence: {
      description: 'Sets your presence on this device.',
      data: j.object({ status: j.string().valid('online', 'away', 'dnd').required() }),
    },
    subscribe: { description: 'Subscribes to topics, to all of them or to none.', data: topics },
    unsubscribe: { description: 'Ends subscriptions.', data: topics },
  };
};
