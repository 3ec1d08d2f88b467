import { forked } from './forked.js';
import { message } from './message.js';
import { roomSizes } from './rooms-sizes.js';
import { besideBare, clients, connect, side, stop } from './sockets.js';

const content = 'x'.repeat(130);
/** Bytes of a message's frame beside its text and its cursor, more than those of the bare server's. */
const further_bytes = 560;

/**
 * Stored frames and messages to a room of 1,000 members with a client each: the platform beside bare `ws`, which sends the same bytes but for
 * cursors. And rooms without clients.
 */
export async function rooms(): Promise<Record<string, unknown>[]> {
  const frames = await toMembers('./rooms-server.js');
  const ofMessage = { name: 'a message', pad: content, bare_pad: content + 'x'.repeat(further_bytes), times: 1 };
  return [...frames, ...(await toMembers('./rooms-messages-server.js', [ofMessage])), ...(await roomSizes())];
}

async function toMembers(server: string, cases?: Parameters<typeof besideBare>[0]['cases']): Promise<Record<string, unknown>[]> {
  const reader = forked('./sockets-clients.js');
  const [ours, bare] = [await side(server, [`${clients}`]), await side('./limits/broadcast.js')];
  try {
    await message(reader);
    for (const each of [ours, bare]) await connect(reader, each);
    const to = { members: Array.from({ length: clients }, (_, at) => at + 1) };
    return await besideBare({ reader, ours, bare, to, ...(cases && { cases }) });
  } finally {
    await Promise.all([reader, ours.child, bare.child].map(stop));
  }
}
