import type { AnswerHead } from '../answer-text.js';
import type { Server } from '../client-failure.js';
import { lostBy } from './reply.js';
import type { Watchdog } from './watchdog.js';

/** Parts of the browser's `XMLHttpRequest` that uploads use. */
export interface UploadRequest {
  readonly upload: { addEventListener(type: 'progress', listener: (event: { loaded: number; total: number }) => void): void };
  readonly status: number;
  readonly responseText: string;
  open(method: string, address: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  addEventListener(type: 'load' | 'error' | 'abort' | 'progress', listener: () => void): void;
  send(form: FormData): void;
  abort(): void;
}

export interface FormUpload {
  address: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  form: FormData;
  watchdog: Watchdog;
  server: Server;
  sent?: ((bytes: number, total: number) => void) | undefined;
}

/** Sends a form and returns the response. Uses `XMLHttpRequest`, because `fetch` doesn't report the progress of an upload. */
export async function upload(request: UploadRequest, options: FormUpload): Promise<{ head: AnswerHead; text: string }> {
  const { watchdog, server, sent } = options;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(lostBy(undefined, watchdog, server));
      request.open(options.method, options.address);
      for (const [name, value] of Object.entries(options.headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded, total }) => {
        watchdog.fed();
        sent?.(loaded, total);
      });
      request.addEventListener('progress', () => watchdog.fed());
      request.addEventListener('load', () => resolve());
      request.addEventListener('error', fail);
      request.addEventListener('abort', fail);
      watchdog.signal.addEventListener('abort', () => request.abort());
      if (watchdog.signal.aborted) return fail();
      request.send(options.form);
    });
  } finally {
    watchdog.stop();
  }
  const header = (name: string) => request.getResponseHeader(name) ?? undefined;
  return { head: { status: request.status, header }, text: request.responseText };
}
