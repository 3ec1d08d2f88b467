import { operations } from '@platform/kit';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { MarketplaceApi } from '../contract.js';

export const api = operations<
  MarketplaceApi & Pick<SystemApi, 'plugins.get' | 'plugins.settings' | 'plugins.configure' | 'plugins.disable' | 'plugins.enable'>
>();

/** Frames after which extensions are read again. */
export const on = ['extension.changed'];

/** Reads that an installation or removal changes. */
export const reads = ['marketplace.search', 'marketplace.get', 'marketplace.installed', 'plugins.get'];
