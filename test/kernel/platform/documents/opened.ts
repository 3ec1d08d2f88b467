import type { Test } from 'tap';
import { DocumentReader, type DocumentReaderOptions } from '../../../../kernel/platform/documents/documents.js';
import { Containment, type ContainmentOptions } from '../../../../kernel/platform/sandbox/walls/containment.js';
import { temporaryFolder } from '../../../helpers/platform.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** Options of a document about which only its bytes say anything. */
export const unnamed = { name: 'document', mime_type: 'application/octet-stream' };

/** Opens a reader of documents that reads them where walls are refused too. */
export async function open(t: Test, { limit_ms, ...options }: Partial<ContainmentOptions & Pick<DocumentReaderOptions, 'limit_ms'>> = {}) {
  const data_dir = await temporaryFolder(t);
  const walls = new Containment({ data_dir, trusted: ['kernel.documents'], ...options });
  const documents = new DocumentReader({ walls, data_dir, log, ...(limit_ms === undefined ? {} : { limit_ms }) });
  t.teardown(async () => {
    await documents.dispose();
    await walls.dispose();
  });
  return { documents, data_dir };
}
