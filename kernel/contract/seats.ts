/** The slot `seats`: counts people. Called when the status is requested; at most 5 s. */
export interface SeatCounter {
  /** Returns the number of people and the limit, 0 for none. */
  seats(): Promise<{ used: number; limit: number }>;
}
