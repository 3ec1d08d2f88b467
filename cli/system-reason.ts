const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EBADF: 'it is closed',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  EIO: 'the device failed',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no folder',
  EPERM: 'you have no permission',
  EPIPE: 'its reader has left',
  EROFS: 'its disk is read-only',
};

/** Says in plain words why the system refused to read or write. */
export function systemReason(fault: unknown): string {
  const { code, message } = fault as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message ?? String(fault);
}
