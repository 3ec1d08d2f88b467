import { readFileSync } from 'node:fs';
import { neededWalls, type Wall } from './wall.js';

/** Linux settings that block namespaces: name, blocking value, and required value. */
const settings = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', blocking: '1', required: 0 },
  { name: 'kernel.unprivileged_userns_clone', blocking: '0', required: 1 },
  ...['user', 'net', 'pid', 'mnt', 'ipc', 'uts'].map((kind) => ({ name: `user.max_${kind}_namespaces`, blocking: '0', required: 15_000 })),
];

/** Returns commands that fix missing layers, as far as the cause can be detected. */
export function fixOf(missing: readonly Wall[], read: (path: string) => string = readSetting): string {
  const active = settings.filter(({ name, blocking }) => read(`/proc/sys/${name.replaceAll('.', '/')}`) === blocking);
  const fixes = [
    ...(missing.some(({ why }) => why.includes('package util-linux')) ? ['sudo apt-get install util-linux'] : []),
    ...(active.length > 0 ? [`sudo sysctl -w ${active.map(({ name, required }) => `${name}=${required}`).join(' ')}`] : []),
  ];
  if (fixes.length > 0) return fixes.join(' && ');
  const containerFix = 'start its container with: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN';
  const needed = missing.some(({ wall }) => neededWalls.includes(wall));
  return needed ? `${containerFix}; or trust single plugins with: PLATFORM_PLUGINS_TRUSTED=<id> platform serve` : containerFix;
}

function readSetting(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The setting doesn't exist on this system.
    return '';
  }
}
