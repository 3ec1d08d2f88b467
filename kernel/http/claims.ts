/** Which target a path belongs to: the longest claimed prefix by whole segments. */
export class Claims<Target> {
  readonly #targets: ReadonlyMap<string, Target>;

  constructor(targets: Iterable<readonly [string, Target]>) {
    this.#targets = new Map(targets);
  }

  find(path: string): Target | undefined {
    for (let prefix = path; prefix !== ''; prefix = prefix.slice(0, prefix.lastIndexOf('/'))) {
      const target = this.#targets.get(prefix);
      if (target !== undefined) return target;
    }
    return undefined;
  }
}
