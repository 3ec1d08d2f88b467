/** Returns the words of a record's key: `owner.user_name` → `Owner user name`. */
export function labelOf(key: string): string {
  const words = key.replaceAll(/[_.]/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
