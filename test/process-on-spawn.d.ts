declare module 'process-on-spawn' {
  /** How tap's recorder gets into the programs that a test starts. */
  const processOnSpawn: { removeAllListeners(): void };
  export default processOnSpawn;
}
