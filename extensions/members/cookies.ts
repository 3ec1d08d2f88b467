import type { Cookie } from '../../kernel/contract/index.js';
import { lifetime_ms as device_ms } from './devices.js';

/** Lifetime of a login since its last refresh. */
export const login_ms = 30 * 24 * 3_600_000;

const path = '/api/auth';

/** Device that logged in before; grants no access. */
export const device: Cookie = { name: 'platform_device', path, max_age_s: device_ms / 1_000 };

/** Refresh token of a browser's login. */
export const session: Cookie = { name: 'platform_session', path, max_age_s: login_ms / 1_000, guarded: true };
