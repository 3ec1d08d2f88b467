/** The slot `seats`: how many people there are. Asked whenever somebody looks; at most 5 s. */
export interface SeatCounter {
  /** `limit` 0: as many as come. */
  seats(): Promise<{ used: number; limit: number }>;
}
