import { createServer } from 'node:net';
import type { Test } from 'tap';

/** Listens at an address of this machine, and counts who connects to it. */
export async function listen(t: Test): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/x`, connections: () => connections };
}
