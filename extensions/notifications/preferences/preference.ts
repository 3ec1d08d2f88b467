import type { Kind, Source } from '../contract.js';

/** A member's stored preferences for a channel. */
export interface StoredPreference {
  enabled: boolean;
  sources: Source[];
  /** Null, or missing in rows of older versions: all. */
  kinds?: Kind[] | null;
  settings: Record<string, string>;
  /** Encrypted secrets. */
  sealed: Record<string, string>;
}

/** By channel name. */
export type Preference = ReadonlyMap<string, StoredPreference>;

const allSources: readonly Source[] = ['schedule', 'ai_message', 'system'];

/** The channel of the platform itself: sockets and lists. */
export const web = 'web';

/** Preferences of a channel without a choice. */
export function defaultPreference(name: string): StoredPreference {
  return { enabled: name === web, sources: [...allSources], settings: {}, sealed: {} };
}

/** The properties of a notification that preferences depend on. */
export interface Classification {
  source: Source;
  kind: Kind;
}

/** Whether a channel delivers notifications of this kind. */
export function delivers(chosen: Preference, channel: string, { source, kind }: Classification): boolean {
  const { enabled, sources, kinds } = chosen.get(channel) ?? defaultPreference(channel);
  return enabled && sources.includes(source) && (kinds?.includes(kind) ?? true);
}

/** The outside channels that deliver notifications of this kind. */
export function externalChannelsFor(chosen: Preference, classification: Classification): string[] {
  return [...chosen.keys()].filter((channel) => channel !== web && delivers(chosen, channel, classification));
}
