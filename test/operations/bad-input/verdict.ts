import { STATUS_CODES } from 'node:http';
import { coreCodes } from '../../../kernel/contract/index.js';
import type { Bad } from './kind.js';
import { type Answer, exchange } from './wire.js';

/** No answer to a bad request needs more; what a client sent is not sent back whole. */
const longest = 64 * 1024;

/** Content that no answer may show: stacks, SQL, the platform's files. */
const inner = [
  /\n\s+at /,
  /\.[cm]?[jt]s:\d+/,
  /node_modules/,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w"]+\s+(?:FROM|SET|WHERE|\(|,)/,
  /SQLITE_|SQLSTATE|sequelize|violates|constraint|byte sequence/i,
  /\$\d+(?:,|\))/,
];

/** Sends bad requests one after the other; gives what is wrong with their answers. */
export async function faultsOf(bads: readonly Bad[], { url, secrets }: { url: string; secrets: readonly string[] }): Promise<string[]> {
  const faults: string[] = [];
  for (const { what, message, code } of bads) {
    const fault = await exchange(url, message).then(
      (answer) => verdict(answer, code, secrets),
      (error: Error) => error.message,
    );
    if (fault !== undefined) faults.push(`${what} ${fault}`.trim());
  }
  return faults;
}

/** Returns what is wrong with the answer to a bad request; undefined if nothing is. */
function verdict(answer: Answer, code: string, secrets: readonly string[]): string | undefined {
  const { status, headers, body } = answer;
  const shown = `${status} ${body.slice(0, 300)}`;
  if (status < 400 || status > 499) return `answered ${shown}`;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return `is of the type ${headers['content-type']}: ${shown}`;
  if (body.length > longest) return `answered with ${body.length} characters`;
  const error = JSON.parse(body) as Record<string, unknown>;
  if (error.code !== code || status !== statusOf(code)) return `should be ${statusOf(code)} ${code} but is ${shown}`;
  if (!isErrorBody(error, status)) return `has no error body: ${shown}`;
  if (error.request_id !== headers['x-request-id']) return `has another request_id than its header: ${shown}`;
  const leak = [...inner.filter((pattern) => pattern.test(body)).map(String), ...secrets.filter((secret) => body.includes(secret))];
  return leak.length > 0 ? `shows ${leak[0]}: ${shown}` : undefined;
}

/** The status of a code: the kernel's own have theirs; of the extensions' only `…_not_found` is asked for. */
function statusOf(code: string): number {
  return (coreCodes as Readonly<Record<string, number>>)[code] ?? 404;
}

/** Exactly the fields that are documented; `details` is for invalid input alone. */
function isErrorBody(error: Record<string, unknown>, status: number): boolean {
  const { statusCode, error: name, message, code, request_id, details, ...rest } = error;
  const texts = [name, message, code, request_id].every((text) => typeof text === 'string' && text !== '');
  const plain = texts && statusCode === status && name === STATUS_CODES[status] && Object.keys(rest).length === 0;
  return plain && (code === 'invalid_input' ? isDetails(details) : details === undefined);
}

function isDetails(details: unknown): boolean {
  if (!Array.isArray(details) || details.length === 0) return false;
  return (details as Record<string, unknown>[]).every(({ path, message, ...rest }) => {
    return typeof path === 'string' && typeof message === 'string' && Object.keys(rest).length === 0;
  });
}
