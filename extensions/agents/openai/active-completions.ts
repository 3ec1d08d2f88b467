/** Counts the answers in progress for OpenAI's clients in this process, by AI employee. */
export class ActiveCompletions {
  readonly #counts = new Map<number, number>();

  /** Whether the AI employee has an answer in progress. */
  has(member_id: number): boolean {
    return this.#counts.has(member_id);
  }

  async during<T>(member_id: number, work: () => Promise<T>): Promise<T> {
    this.#add(member_id, 1);
    try {
      return await work();
    } finally {
      this.#add(member_id, -1);
    }
  }

  #add(member_id: number, more: 1 | -1): void {
    const count = (this.#counts.get(member_id) ?? 0) + more;
    if (count > 0) this.#counts.set(member_id, count);
    else this.#counts.delete(member_id);
  }
}
