/** A program: a platform whose plugin runs in the platform's own process, as if there were no other; it does what the argument says when asked. */

import { loadConfig } from '../../../../config/load.js';
import { boot } from '../../../../kernel/boot/boot.js';
import { loadBundle } from '../../../../kernel/core/host/loader.js';
import { readManifest } from '../../../../kernel/core/host/manifest.js';
import { fixture } from '../../../helpers/folders.js';

const [folder = '', data_dir = ''] = process.argv.slice(2);
const config = loadConfig({ env: {}, overrides: { data_dir, port: 0, log_level: 'silent' } });
const kernel = await boot(config, { listen: true, background: true, extensions: [fixture('hello')] });
const manifest = await readManifest(folder);
await kernel.host.replace(await loadBundle(folder, manifest), folder);
process.send?.({ url: kernel.url });
