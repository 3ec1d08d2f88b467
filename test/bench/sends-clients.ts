/** Sends messages at a steady rate, whether or not the ones before were answered. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from './statistics.js';

export interface SendOrder {
  url: string;
  token?: string;
  /** Into which it sends, in turn. */
  sessions: string[];
  per_second: number;
  seconds: number;
}

export interface SendReport {
  sent: number;
  failed: number;
  /** Message of the first failure. */
  first_failure: string | undefined;
  ms_p50: number;
  ms_p99: number;
  ms_max: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

process.on('message', async (order: SendOrder) => process.send?.(await sendAll(order)));
process.on('SIGTERM', () => process.exit(0));
process.send?.({});

async function sendAll(order: SendOrder): Promise<SendReport> {
  const took: number[] = [];
  const failures: string[] = [];
  const under_way: Promise<void>[] = [];
  const begun = performance.now();
  const total = order.per_second * order.seconds;
  for (let number = 0; number < total; number += 1) {
    const due = begun + (number * 1_000) / order.per_second;
    if (due > performance.now()) await pause(due - performance.now());
    under_way.push(
      send(order, number).then(
        () => void took.push(performance.now() - due),
        (error: Error) => void failures.push(error.message),
      ),
    );
  }
  await Promise.all(under_way);
  const failed = { failed: failures.length, first_failure: failures[0] };
  return { sent: took.length, ...failed, ms_p50: percentile(took, 0.5), ms_p99: percentile(took, 0.99), ms_max: Math.max(...took) };
}

function send({ url, token, sessions }: SendOrder, number: number): Promise<void> {
  const session_id = sessions[number % sessions.length];
  const body = JSON.stringify({
    session_id,
    content: `Message ${number}: the weekly report is due, please answer briefly when you have read it.`,
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/chat/send`, { method: 'POST', agent, headers }, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        answer += text;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode} ${answer}`))));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
