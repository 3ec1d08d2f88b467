import type { Manifest } from '../../contract/manifest.js';

/** Names for flags that a command can't have, since another of its flags has them; told to `add`. */
export function flagFaults({ contributes = {} }: Manifest, add: (path: string, message: string) => unknown): void {
  const { commands = [], operations = {} } = contributes;
  for (const [index, { operation, flags = {} }] of commands.entries()) {
    const { properties = {} } = (operations[operation]?.input ?? {}) as { properties?: object };
    const names = Object.keys(properties).map((key) => flags[key] ?? key.replaceAll('_', '-'));
    for (const [key, name] of Object.entries(flags)) {
      const path = `contributes.commands.${index}.flags.${key}`;
      if (!Object.hasOwn(properties, key)) add(path, `is for no input of '${operation}'`);
      else if (names.indexOf(name) !== names.lastIndexOf(name)) add(path, `is '${name}', which another input has`);
    }
  }
}
