import type { OperationData } from '../../contract/manifest.js';

/** Describes a call that is needed before the catalog can be read, such as the login. */
export function entryOperation(method: OperationData['method'], path: string, who: OperationData['who'] = 'member'): OperationData {
  return { method, path, who, kind: 'call', input: {}, status: 200, summary: '' };
}
