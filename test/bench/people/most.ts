/** How the search for the largest number goes. */
export interface Steps {
  first: number;
  max: number;
  /** How often the gap between the last kept number and the first broken one is halved. */
  halvings: number;
}

export interface Most<Found> {
  /** The largest number that was kept; 0 for none. */
  people: number;
  /** Result at that number. */
  kept: Found | undefined;
  /** Result at the smallest number that broke; undefined if none did. */
  broken: Found | undefined;
}

/** Finds the largest number of people that is carried: doubles it until it breaks, then halves the gap. */
export async function most<Found>(
  measure: (people: number) => Promise<{ isKept: boolean; found: Found }>,
  { first, max, halvings }: Steps,
): Promise<Most<Found>> {
  const result: Most<Found> = { people: 0, kept: undefined, broken: undefined };
  let broken = max + 1;
  const attempt = async (people: number) => {
    const { isKept, found } = await measure(people);
    if (isKept) Object.assign(result, { people, kept: found });
    else result.broken = found;
    if (!isKept) broken = people;
  };
  for (let people = Math.min(first, max); people < broken; people = Math.min(people * 2, max)) {
    await attempt(people);
    if (people === max) break;
  }
  for (let halving = 0; halving < halvings && broken <= max; halving += 1) {
    const middle = Math.round((result.people + broken) / 2);
    if (middle > result.people && middle < broken) await attempt(middle);
  }
  return result;
}
