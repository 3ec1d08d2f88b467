import { AnswerFault } from './failures.js';

const max_bytes = 2 * 1024 * 1024;
const max_models = 1_000;
const max_name_length = 200;

/** Reads the names in a server's list of models. Fails with an {@link AnswerFault}. */
export async function readModelNames(response: Response): Promise<string[]> {
  const names = entriesOf(await textOf(response)).flatMap((entry) => nameOf(entry) ?? []);
  return [...new Set(names)].slice(0, max_models);
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > max_bytes) throw new AnswerFault('sent a list of models that is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the list: OpenAI's `data`, `models` of some servers, or a bare array. */
function entriesOf(text: string): unknown[] {
  const list = listIn(parsed(text));
  if (list) return list;
  throw new AnswerFault('sent something else than a list of models');
}

function listIn(body: unknown): unknown[] | undefined {
  if (Array.isArray(body)) return body;
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  return [data, models].find(Array.isArray);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nameOf(entry: unknown): string | undefined {
  const { id, name } = (entry ?? {}) as { id?: unknown; name?: unknown };
  const found = [entry, id, name].find((value) => typeof value === 'string');
  return typeof found === 'string' && found !== '' && found.length <= max_name_length ? found : undefined;
}
