/**
 * Deletes old data of one kind; contributed to the slot `maintenance.cleanup`. Runs every hour and when the operation `maintenance.cleanup`
 * is called, on one instance at a time.
 */
export interface Cleaner {
  /** Name of the data, such as `logins`. Reports prefix it with the extension's id. */
  name: string;
  /**
   * Deletes old rows in batches, so that other writers can run in between; returns the number of deleted rows. If it throws, the fault is
   * reported and the other cleaners still run. After 120 s nobody waits for it any more, though it may continue.
   */
  clean(): Promise<number>;
}
