const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBADF: 'it is closed',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  EIO: 'the device failed',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'permission denied',
  EPIPE: 'its reader has closed it',
  EROFS: 'the disk is read-only',
};

/** Returns why the system refused to read or write, in plain words. */
export function systemReason(fault: unknown): string {
  const { code, message } = fault as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message ?? String(fault);
}
