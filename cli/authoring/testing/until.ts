import { setTimeout as pause } from 'node:timers/promises';

const pause_ms = 20;

/** Reads until what is read is accepted. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  accepts: (value: Value) => boolean,
  limit_ms = 10_000,
): Promise<Value> {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await read();
    if (accepts(value)) return value;
    if (Date.now() > end) throw new Error(`It has not come to pass within ${limit_ms / 1000} s; at last there was ${shown(value)}`);
    await pause(pause_ms);
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 1_000);
}
