import type { Log } from '../../contract/extension.js';

export type Handler = (message: never) => void;
export type Responder = (message: never) => Promise<object | undefined>;

/** Registers functions by channel. */
export class Handlers<H extends Handler | Responder> {
  readonly #channels = new Map<string, Set<{ run: H }>>();

  /** Adds a function; returns the one that removes it, which returns whether it was the channel's last. */
  add(channel: string, run: H): () => boolean {
    const registered = { run };
    const channels = this.#channels;
    const all = channels.get(channel) ?? new Set();
    channels.set(channel, all.add(registered));
    return () => {
      if (!all.delete(registered) || all.size > 0) return false;
      return channels.delete(channel);
    };
  }

  of(channel: string): H[] {
    return [...(this.#channels.get(channel) ?? [])].map(({ run }) => run);
  }

  clear(): void {
    this.#channels.clear();
  }
}

interface Report {
  log: Log;
  channel: string;
}

/** Delivers a message to all handlers, each with its own copy. An error in one doesn't affect the others. */
export function deliver(handlers: readonly Handler[], json: string, { log, channel }: Report): void {
  for (const handler of handlers) {
    try {
      handler(JSON.parse(json) as never);
    } catch (error) {
      log.error(`A handler of bus channel '${channel}' threw`, { error });
    }
  }
}

/** Returns the first answer that isn't undefined; undefined if there is none. A responder that throws has none. */
export function firstAnswer(responders: readonly Responder[], json: string, report: Report): Promise<object | undefined> {
  const answers = responders.map((respond) => ask(respond, json, report));
  return new Promise((resolve) => {
    for (const answer of answers) void answer.then((given) => given !== undefined && resolve(given));
    void Promise.all(answers).then(() => resolve(undefined));
  });
}

async function ask(respond: Responder, json: string, { log, channel }: Report): Promise<object | undefined> {
  try {
    return await respond(JSON.parse(json) as never);
  } catch (error) {
    log.error(`A responder of bus channel '${channel}' threw`, { error });
    return undefined;
  }
}
