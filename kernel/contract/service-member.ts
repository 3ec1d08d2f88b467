import type { Caller } from './operation.js';

/**
 * The slot `plugins.member`: the extension `members` stores one member for each plugin of a third party. The plugin acts as this member
 * outside of any call. It has the role `member` and no login, is not a person, and appears under the plugin's name.
 */
export interface ServiceMembers {
  /** Returns a caller for the plugin's own member, which is created if it is missing. */
  caller(plugin: { id: string; name: string }): Promise<Caller>;
  /** Removes the plugin's member, if there is one. */
  remove(plugin: string): Promise<void>;
}
