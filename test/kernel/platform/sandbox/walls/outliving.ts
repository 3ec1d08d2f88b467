/** A program: a platform with a plugin that spins for ever. Prints the plugin's process once it does. Its argument: the walls to leave out. */
import type { Test } from 'tap';
import { Containment } from '../../../../../kernel/platform/sandbox/walls/containment.js';
import { wallNames } from '../../../../../kernel/platform/sandbox/walls/wall.js';
import { callerOf, startPlatform } from '../../../../helpers/platform.js';
import { pluginProcesses } from '../processes.js';
import { installSandboxed, pluginFolder } from '../world.js';

const t = { teardown: () => undefined } as unknown as Test;
const without = process.argv[2] ?? '';
const platform = await startPlatform(t, { extensions: [], strict: false });
const walls = new Containment({ data_dir: platform.data_dir, trusted: [], walls: wallNames.filter((wall) => wall !== without) });
const code = `ctx.expose({ 'x.spin': op('spin') }, { 'x.spin': () => { for (;;); } });`;
await installSandboxed(platform, await pluginFolder(t, code), { walls });
platform.kernel.invoke('x.spin', {}, callerOf()).catch(() => undefined);
console.log(pluginProcesses()[0]);
