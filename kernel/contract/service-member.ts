import type { Caller } from './operation.js';

/**
 * The slot `plugins.member`: whoever keeps the members keeps one for each plugin of a third party. It is a `member`
 * who is no person, has no login, and is shown as the plugin: what the plugin does outside of any call, it does as this one.
 */
export interface ServiceMembers {
  /** The caller who acts as the plugin's own member, which is made where there is none. */
  caller(plugin: { id: string; name: string }): Promise<Caller>;
  /** Removes the plugin's member, if there is one. */
  remove(plugin: string): Promise<void>;
}
