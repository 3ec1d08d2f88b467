import { operations } from '@platform/kit';
import type { NotificationsApi } from '../contract.js';

export const api = operations<NotificationsApi>();
