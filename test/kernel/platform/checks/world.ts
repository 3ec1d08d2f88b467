import type { CheckRecord } from '../../../../kernel/contract/system.js';
import { callerOf, type TestPlatform } from '../../../helpers/platform.js';

/** Checks as a platform answers them to `doctor`. */
export async function checksOf({ kernel }: Pick<TestPlatform, 'kernel'>): Promise<CheckRecord[]> {
  return (await kernel.invoke('checks.list', {}, callerOf())).body as CheckRecord[];
}

/** One of them. */
export async function checkOf(platform: Pick<TestPlatform, 'kernel'>, code: string): Promise<CheckRecord | undefined> {
  return (await checksOf(platform)).find((check) => check.code === code);
}
