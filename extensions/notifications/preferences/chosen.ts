import type { Kind, Source } from '../contract.js';

/** What a member has chosen of one channel, as it is kept. */
export interface ChosenChannel {
  enabled: boolean;
  sources: Source[];
  /** Null, and left out by earlier versions: all. */
  kinds?: Kind[] | null;
  settings: Record<string, string>;
  /** Its secrets, sealed. */
  sealed: Record<string, string>;
}

/** By the names of channels. */
export type Chosen = ReadonlyMap<string, ChosenChannel>;

const allSources: readonly Source[] = ['schedule', 'ai_message', 'system'];

/** The channel that is the platform itself: sockets, and lists. */
export const web = 'web';

/** What holds for a channel of which nothing was chosen. */
export function usual(name: string): ChosenChannel {
  return { enabled: name === web, sources: [...allSources], settings: {}, sealed: {} };
}

/** The properties of a notification that a member chooses by. */
export interface Sort {
  source: Source;
  kind: Kind;
}

/** Whether a channel brings notifications of this sort. */
export function brings(chosen: Chosen, channel: string, { source, kind }: Sort): boolean {
  const { enabled, sources, kinds } = chosen.get(channel) ?? usual(channel);
  return enabled && sources.includes(source) && (kinds?.includes(kind) ?? true);
}

/** The channels outside of the platform that bring notifications of this sort. */
export function routesFor(chosen: Chosen, sort: Sort): string[] {
  return [...chosen.keys()].filter((channel) => channel !== web && brings(chosen, channel, sort));
}
