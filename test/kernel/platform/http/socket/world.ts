import type { Test } from 'tap';
import type { Audience } from '../../../../../kernel/contract/index.js';
import {
  adminPassword,
  callerOf,
  fixture,
  ownExtension,
  type PlatformOptions,
  startPlatform,
  type TestPlatform,
} from '../../../../helpers/platform.js';
import { type Client, type ConnectOptions, connect } from './client.js';

export const extensions = [ownExtension('members'), fixture('frames')];

export interface Person {
  id: number;
  token: string;
}

/** A platform with members and something that pushes. */
export interface World extends TestPlatform {
  admin: Person;
  person(username: string): Promise<Person>;
  /** A socket that was welcomed. */
  socket(who: Person, options?: ConnectOptions): Promise<Client>;
  push(to: Audience, frame: { type: string; data: object }, options?: { keep?: boolean; times?: number; fails?: boolean }): Promise<void>;
  /** Asks as the first administrator, or as whose token it is. */
  ask<T>(operation: string, input?: object, token?: string): Promise<T>;
}

export async function startWorld(t: Test, options: PlatformOptions = {}): Promise<World> {
  return worldOf(t, await startPlatform(t, { extensions, ...options }));
}

export async function worldOf(t: Test, platform: TestPlatform): Promise<World> {
  const { kernel, url } = platform;
  const ask = async <T>(operation: string, input: object = {}, token?: string) => {
    const caller = token === undefined ? callerOf() : await kernel.tokenCaller(token, 'direct');
    return (await kernel.invoke(operation, input, caller)).body as T;
  };
  const logIn = async (username: string, password: string) => {
    return (await ask<{ access_token: string }>('auth.login', { username, password })).access_token;
  };
  return {
    ...platform,
    ask,
    admin: { id: 1, token: await logIn('admin', adminPassword) },
    async person(username) {
      const password = `secret-${username}`;
      const { id } = await ask<{ id: number }>('members.create', { username, password });
      return { id, token: await logIn(username, password) };
    },
    async socket({ token }, options = {}) {
      const client = await connect(t, url, { token, ...options });
      await client.next('hello');
      return client;
    },
    push: async (to, frame, options = {}) => void (await ask('frames.push', { to, frame, ...options })),
  };
}
