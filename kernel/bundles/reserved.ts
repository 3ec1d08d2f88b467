/** Words of the marketplace's own paths, and what would be taken for the platform itself. */
const words = ['search', 'install', 'publish', 'installed', 'kernel'];

/** Whether nobody may publish under this id. `builtin`: the ids of the platform's own extensions. */
export function isReserved(id: string, builtin: readonly string[]): boolean {
  return words.includes(id) || id.startsWith('platform') || builtin.includes(id);
}
