import { forked } from './forked.js';
import { message } from './message.js';
import { besideBare, clients, connect, side, stop } from './sockets.js';

/** A stored frame to a room of 1,000 members with a client each: the platform beside bare `ws`, which sends the same bytes but for cursors. */
export async function rooms(): Promise<Record<string, unknown>[]> {
  const reader = forked('./sockets-clients.js');
  const [ours, bare] = [await side('./rooms-server.js'), await side('./limits/broadcast.js')];
  try {
    await message(reader);
    for (const each of [ours, bare]) await connect(reader, each);
    const to = { members: Array.from({ length: clients }, (_, at) => at + 1) };
    return await besideBare({ reader, ours, bare, to });
  } finally {
    await Promise.all([reader, ours.child, bare.child].map(stop));
  }
}
