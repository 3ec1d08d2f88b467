/** The placeholders of a list of values: `$1, $2, $3`. An empty list gives one that matches nothing. */
export function places(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}
