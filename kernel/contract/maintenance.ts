/**
 * Removes what is too old of one kind, contributed to the slot `maintenance.cleanup`. It runs every hour, and when
 * `maintenance.cleanup` is asked for; on one instance at a time.
 */
export interface Cleaner {
  /** Name of what it keeps small, such as `logins`; reports put the extension's id before it. */
  name: string;
  /**
   * Gives how many rows it removed. Deletes in portions, so that other writers get their turn in between. A throw is
   * reported and stops no other. After 120 s it is no longer waited for, though it may still run.
   */
  clean(): Promise<number>;
}
