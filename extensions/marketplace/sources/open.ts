import { fileURLToPath } from 'node:url';
import { FolderSource } from './folder.js';
import { MirrorSource } from './mirror.js';
import { PlatformSource } from './platform.js';
import { Site } from './site.js';
import type { Source, SourceContext } from './source.js';

/** Settings of the section `marketplace` that configure a source. */
export interface SourceSettings {
  /** Address or folder; empty means none. */
  upstream_registry: string;
  upstream_token: string;
}

/** Opens the configured sources, at most one. */
export function openSources({ upstream_registry: registry, upstream_token: token }: SourceSettings, ctx: SourceContext): readonly Source[] {
  if (registry === '') return [];
  if (registry.startsWith('/') || registry.startsWith('file:')) return [new FolderSource(folderOf(registry), ctx)];
  const address = new URL(registry);
  const site = new Site({ name: registry.replace(/\/+$/, ''), address, token, web: (allow) => ctx.web(allow) });
  const isMirror = address.pathname.endsWith('.json');
  return [isMirror ? new MirrorSource(site, address, ctx) : new PlatformSource(site, address, ctx)];
}

function folderOf(registry: string): string {
  const folder = registry.startsWith('file:') ? fileURLToPath(registry) : registry;
  return folder.length > 1 ? folder.replace(/\/+$/, '') : folder;
}
