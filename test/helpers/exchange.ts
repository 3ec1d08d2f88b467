import { request } from 'node:http';

interface Sent {
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** Sends a request as it stands, where `fetch` would complete or refuse some of it. With a `content-length` only the head is sent. */
export function exchange(url: string, { method, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        asked.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() });
      });
    });
    asked.on('error', reject);
    if (headers['content-length'] === undefined) asked.end(body);
    else asked.flushHeaders();
  });
}
