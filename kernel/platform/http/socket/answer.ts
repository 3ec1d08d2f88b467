import joi from 'joi';
import { fail as failCore } from '../../../contract/failure.js';
import type { FrameSender } from '../../../contract/socket.js';
import { within } from '../../../contract/within.js';
import { validate } from '../../../core/invoke/validate.js';
import type { Present } from '../../presence/board.js';
import type { Device } from '../../presence/presences.js';
import type { ClientFrame } from './client-frame.js';
import type { Connection } from './connection.js';
import { maySocket } from './credentials.js';
import { fail } from './limits.js';
import type { ConnectionOwner } from './owner.js';

interface FrameContext {
  connection: Connection;
  device: Device;
  sender: FrameSender;
  owner: ConnectionOwner;
}

type Answer = (data: object, context: FrameContext, frame: ClientFrame) => void | Promise<void>;

const presence = joi.object({ status: joi.string().valid('online', 'away', 'dnd').required() });
const topics = joi.object({ topics: joi.array().items(joi.string().min(1).max(64)).min(1).max(100).required() });

/** Handlers of the kernel's own frame types. */
const kernelAnswers: Readonly<Record<string, Answer>> = {
  ping: (_data, { connection }, { id }) => connection.send({ type: 'pong', id, data: {} }),
  presence(data, { device, sender }) {
    assertMayAct(sender);
    device.set((validate(presence, data) as { status: Present }).status);
  },
  subscribe: (data, { connection, owner }) => owner.subscribe(connection, (validate(topics, data) as { topics: string[] }).topics),
  unsubscribe: (data, { connection, owner }) => owner.unsubscribe(connection, (validate(topics, data) as { topics: string[] }).topics),
  auth() {
    throw fail('malformed_frame', 'This socket is already authenticated');
  },
};

/** Handles a frame: by the kernel, or by the extension that has registered its type. */
export async function answerFrame(frame: ClientFrame, context: FrameContext): Promise<void> {
  const { type, data } = frame;
  const answer = Object.hasOwn(kernelAnswers, type) ? kernelAnswers[type] : undefined;
  if (answer) return answer(data, context, frame);
  const { owner, sender } = context;
  const { handler_ms } = owner.limits;
  assertMayAct(sender);
  const known = await within(handler_ms, owner.platform.receive({ type, data }, sender), () => {
    throw failCore('operation_timeout', `The frame took longer than ${handler_ms / 1000} s`);
  });
  if (!known) throw fail('unknown_frame', `Unknown frame type '${type.slice(0, 64)}'`);
}

/** Fails if the token lacks the scope for frames that change something. */
function assertMayAct({ caller }: FrameSender): void {
  if (!maySocket(caller, 'chat')) throw failCore('scope_missing', "This token lacks the scope 'chat'");
}
