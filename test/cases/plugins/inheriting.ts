/** A program: a platform with a plugin in a process of its own, which tells which file descriptors are open there. */

import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import { loadBundle } from '../../../kernel/core/host/loader.js';
import { readManifest } from '../../../kernel/core/host/manifest.js';
import { sandboxed } from '../../../kernel/platform/sandbox/plugin.js';
import { Containment } from '../../../kernel/platform/sandbox/walls/containment.js';
import type { WallName } from '../../../kernel/platform/sandbox/walls/wall.js';
import { callerOf } from '../../helpers/platform.js';

const [folder = '', data_dir = '', walls] = process.argv.slice(2);
const config = loadConfig({ env: {}, overrides: { data_dir, port: 0, log_level: 'silent' } });
const kernel = await boot(config, { listen: false, background: false, extensions: [] });
const containment = walls ? new Containment({ data_dir, trusted: ['xx'], walls: walls.split(',') as WallName[] }) : kernel.walls;
const manifest = await readManifest(folder);
const bundle = await loadBundle(folder, manifest);
await kernel.host.replace({ ...bundle, evaluate: () => sandboxed({ manifest, folder }, { walls: containment, trusted: true }) }, folder);
const { body } = await kernel.invoke('xx.open', {}, callerOf());
await kernel.close();
process.send?.(body);
process.disconnect();
