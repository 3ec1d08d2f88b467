/** Does something with each, with so many at the same time. Fails with the first that fails. */
export async function crowd<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const some = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, some));
}
