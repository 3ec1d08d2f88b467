import { Failure, isFailure } from '../contract/failure.js';
import type { LocalFile } from './local-file.js';
import { harmless } from './terminal-text.js';

/** Uploads a file that is to be sent. A failure says which file it was, and that nothing was sent. */
export async function uploadFile(file: LocalFile, upload: (file: LocalFile) => Promise<{ id: string }>): Promise<{ id: string }> {
  try {
    return await upload(file);
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    const { code, message, status, details, fix, retry_after, cause } = fault;
    const text = `Nothing was sent: '${harmless(file.name)}' could not be uploaded. ${message}`;
    throw new Failure(code, text, { status, details, fix, retry_after, cause });
  }
}
