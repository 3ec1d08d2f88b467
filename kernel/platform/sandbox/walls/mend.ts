import { readFileSync } from 'node:fs';
import { neededWalls, type Wall } from './wall.js';

/** Linux settings that block namespaces: name, blocking value, and required value. */
const settings = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', refuses: '1', wanted: 0 },
  { name: 'kernel.unprivileged_userns_clone', refuses: '0', wanted: 1 },
  ...['user', 'net', 'pid', 'mnt', 'ipc', 'uts'].map((kind) => ({ name: `user.max_${kind}_namespaces`, refuses: '0', wanted: 15_000 })),
];

/** Returns commands that fix missing layers, as far as the cause can be detected. */
export function mendOf(missing: readonly Wall[], read: (path: string) => string = readSetting): string {
  const refusing = settings.filter(({ name, refuses }) => read(`/proc/sys/${name.replaceAll('.', '/')}`) === refuses);
  const mends = [
    ...(missing.some(({ why }) => why.includes('package util-linux')) ? ['sudo apt-get install util-linux'] : []),
    ...(refusing.length > 0 ? [`sudo sysctl -w ${refusing.map(({ name, wanted }) => `${name}=${wanted}`).join(' ')}`] : []),
  ];
  if (mends.length > 0) return mends.join(' && ');
  const inside = 'start its container with: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN';
  const needed = missing.some(({ wall }) => neededWalls.includes(wall));
  return needed ? `${inside}; or trust single plugins with: PLATFORM_PLUGINS_TRUSTED=<id> platform serve` : inside;
}

function readSetting(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The setting doesn't exist on this system.
    return '';
  }
}
