/** Which target a path belongs to: the longest claimed prefix by whole segments. */
export class Claims<Target> {
  readonly #targets: ReadonlyMap<string, Target>;
  #prefixes: ReadonlySet<string> | undefined;

  constructor(targets: Iterable<readonly [string, Target]>) {
    this.#targets = new Map(targets);
  }

  /** Returns the longest prefix of a path, in whole segments, that is also one of a claim. */
  knownPart(path: string): string {
    this.#prefixes ??= new Set([...this.#targets.keys()].flatMap((claim) => prefixesOf(claim)));
    return prefixesOf(path).find((prefix) => this.#prefixes?.has(prefix)) ?? '';
  }

  find(path: string): Target | undefined {
    for (let prefix = path; prefix !== ''; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const target = this.#targets.get(prefix);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}

/** Lists the prefixes of a path by whole segments, the longest first. */
function prefixesOf(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, at) => segments.slice(0, segments.length - at).join('/')).filter((prefix) => prefix !== '');
}
