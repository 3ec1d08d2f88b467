import { APIError, OpenAI } from 'openai';
import type { Test } from 'tap';
import type { ModelServer } from '../../../helpers/model-server.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { administrator, onEachPlatform, type Someone, someone } from '../../chat/world.js';

export interface World {
  platform: TestPlatform;
  model: ModelServer;
  /** A personal token of the member, used as API key. */
  client: OpenAI;
  token: string;
  me: Someone;
}

/** Runs a subtest for a new member, on each kind of platform. */
export async function eachWorld(t: Test, work: (t: Test, world: World) => Promise<void>): Promise<void> {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const me = await someone(t, platform);
    const { token } = await me.http.tokens.create({ name: 'openai', scopes: ['read', 'chat'] });
    await work(t, { platform, model, me, token, client: clientOf(platform, token) });
  });
}

export function clientOf({ url }: TestPlatform, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
}

/** A new AI employee; gives its user name. */
export async function employee(platform: TestPlatform, mode: 'assistant' | 'autonomous' | 'supervised' = 'assistant'): Promise<string> {
  return (await administrator(platform).members.create_virtual({ name: 'Vic', post: 'Accountant', mode })).username;
}

export const user = (content: string) => ({ role: 'user' as const, content });

/** The relevant fields of the client's error. */
export async function errorOf(work: Promise<unknown>): Promise<Pick<APIError, 'status' | 'code' | 'type' | 'message' | 'param'>> {
  const fault = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(fault instanceof APIError)) throw new Error(`It was no error of the API: ${String(fault)}`);
  const { status, code, type, message, param } = fault;
  return { status, code, type, message, param };
}
