import type { Kind, Source } from '../contract.js';

/** A member's stored preferences for a channel. */
export interface ChosenChannel {
  enabled: boolean;
  sources: Source[];
  /** Null, or missing in rows of older versions: all. */
  kinds?: Kind[] | null;
  settings: Record<string, string>;
  /** Encrypted secrets. */
  sealed: Record<string, string>;
}

/** By channel name. */
export type Preference = ReadonlyMap<string, ChosenChannel>;

const allSources: readonly Source[] = ['schedule', 'ai_message', 'system'];

/** The channel of the platform itself: sockets and lists. */
export const web = 'web';

/** Preferences of a channel without a choice. */
export function usual(name: string): ChosenChannel {
  return { enabled: name === web, sources: [...allSources], settings: {}, sealed: {} };
}

/** The properties of a notification that preferences depend on. */
export interface Sort {
  source: Source;
  kind: Kind;
}

/** Whether a channel delivers notifications of this kind. */
export function brings(chosen: Preference, channel: string, { source, kind }: Sort): boolean {
  const { enabled, sources, kinds } = chosen.get(channel) ?? usual(channel);
  return enabled && sources.includes(source) && (kinds?.includes(kind) ?? true);
}

/** The outside channels that deliver notifications of this kind. */
export function routesFor(chosen: Preference, sort: Sort): string[] {
  return [...chosen.keys()].filter((channel) => channel !== web && brings(chosen, channel, sort));
}
