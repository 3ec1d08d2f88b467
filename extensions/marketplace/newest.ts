import semver from 'semver';

/** Returns the highest version by semver precedence; if several are equal, the one whose build sorts last. */
export function newestOf<T extends { version: string }>(versions: Iterable<T>): T | undefined {
  return newestFirst(versions)[0];
}

export function newestFirst<T extends { version: string }>(versions: Iterable<T>): T[] {
  return [...versions].sort((one, other) => semver.compareBuild(other.version, one.version));
}

export function isNewer(version: string, than: string): boolean {
  return semver.gt(version, than);
}

/** Returns whether a version of the platform is in a bundle's range; without a range, every version is. */
export function fits(platform_version: string, range: string | undefined): boolean {
  return range === undefined || semver.satisfies(platform_version, range, { includePrerelease: true });
}
