/** Work that is done once for all who ask while it is under way, and in a time after its end. */
export function sharedWork<T>(work: () => Promise<T>, kept_ms: number): () => Promise<T> {
  let shared: Promise<T> | undefined;
  const forget = () => {
    shared = undefined;
  };
  return () => {
    shared ??= work().finally(() => setTimeout(forget, kept_ms).unref());
    return shared;
  };
}
