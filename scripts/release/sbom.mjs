import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { licenceName } from './notices.mjs';
import { npm } from './npm.mjs';

/**
 * Returns the software bill of materials (CycloneDX, JSON) of a staged package. npm reads it from the shrinkwrap: with
 * `--omit=dev` in the repository it would leave out each package that development needs as well (npm/cli#7909).
 */
export async function billOfMaterials({ root, folder, packages }) {
  const options = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const bom = JSON.parse(await npm(folder, 'sbom', ...options));
  const listed = new Map(bom.components.map((component) => [component['bom-ref'], component]));
  const missing = packages.filter(({ name, version }) => !listed.has(`${name}@${version}`));
  if (missing.length > 0) throw new Error(`npm sbom lists no ${missing.map(({ path }) => path).join(', ')}`);
  for (const part of packages) {
    const component = listed.get(`${part.name}@${part.version}`);
    // npm leaves out names that SPDX doesn't know, such as BSD. The lock has no licence of a package that declares it in the form of old.
    component.licenses ??= [{ license: part.license ? { name: part.license } : { id: await licenceName(root, part) } }];
  }
  // Otherwise two runs would differ.
  delete bom.serialNumber;
  bom.metadata.timestamp = await commitTime(root);
  return `${JSON.stringify(bom, null, 2)}\n`;
}

async function commitTime(root) {
  const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%ct'], { cwd: join(root) });
  return new Date(Number(stdout) * 1000).toISOString();
}
