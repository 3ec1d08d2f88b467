import tap, { type Test } from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { Kernel } from '../../../kernel/boot/kernel.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import type { Transport } from '../../../kernel/client/transport.js';
import { isFailure } from '../../../kernel/contract/index.js';
import { freshPostgres } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf, ownExtension, type PlatformOptions, startPlatform, type TestPlatform } from '../../helpers/platform.js';

export { adminPassword } from '../../helpers/platform.js';

export type Way = 'http' | 'direct';

/** A platform with members alone. */
export interface World extends TestPlatform {
  way: Way;
  /** Settings for a further start on the same database. */
  settings: { data_dir: string; database_url: string };
  /** A client that goes the world's way with a token; without one as nobody. */
  as(token?: string): Promise<Client<MembersApi>>;
  /** One logged in as the first administrator. */
  admin(): Promise<Client<MembersApi>>;
  /** Makes a person with the password `secret-<username>` and logs it in. */
  person(username: string): Promise<{ id: number; client: Client<MembersApi>; token: string; refresh_token: string }>;
}

/** `shared` gives a platform that the tests of a file share: for tests whose members have names of their own and who count nothing. */
type Tests = (t: Test, open: (options?: PlatformOptions) => Promise<World>, shared: () => Promise<World>) => Promise<void>;

const databases = ['sqlite', 'postgres'] as const;
const ways = ['http', 'direct'] as const;

/** The tests on each database by each way: four times. */
export async function eachWorld(t: Test, tests: Tests): Promise<void> {
  for (const database of databases) for (const way of ways) await inWorld(t, { database, way }, tests);
}

/** The tests on each database, by one way on the one and by the other way on the other. */
export async function eachPair(t: Test, tests: Tests): Promise<void> {
  await inWorld(t, { database: 'sqlite', way: 'http' }, tests);
  await inWorld(t, { database: 'postgres', way: 'direct' }, tests);
}

/** The tests on each database, over HTTP. */
export async function eachDatabase(t: Test, tests: Tests): Promise<void> {
  for (const database of databases) await inWorld(t, { database, way: 'http' }, tests);
}

async function inWorld(t: Test, { database, way }: { database: (typeof databases)[number]; way: Way }, tests: Tests): Promise<void> {
  await t.test(`${database}, ${way}`, { skip: database === 'postgres' && skipWithout('postgres') }, async (t) => {
    await tests(
      t,
      (options) => openWorld(t, database, { way, ...options }),
      () => sharedWorld(database, way),
    );
  });
}

const worlds = new Map<string, Promise<World>>();

function sharedWorld(database: (typeof databases)[number], way: Way): Promise<World> {
  const name = `${database}, ${way}`;
  const world = worlds.get(name) ?? openWorld(tap, database, { way });
  worlds.set(name, world);
  return world;
}

export async function openWorld(
  t: Test,
  database: 'sqlite' | 'postgres',
  { way, settings = {}, ...options }: PlatformOptions & { way: Way },
): Promise<World> {
  const database_url = settings.database_url ?? (database === 'sqlite' ? 'sqlite:' : await freshPostgres());
  const extensions = [ownExtension('members')];
  const platform = await startPlatform(t, { extensions, ...options, settings: { log_level: 'warn', ...settings, database_url } });
  return worldOf(t, platform, { way, database_url: String(database_url) });
}

function worldOf(t: Test, platform: TestPlatform, { way, database_url }: { way: Way; database_url: string }): World {
  const { kernel, url, data_dir } = platform;
  const settings = { data_dir, database_url };
  const as: World['as'] = async (token) => {
    const transport = way === 'http' ? http({ url, token }) : await directly(platform, token);
    t.teardown(() => transport.close());
    return connect<MembersApi>(operationsOf(kernel), transport);
  };
  const logIn = async (username: string, password: string) => (await as()).auth.login({ username, password });
  const admin = async () => as((await logIn('admin', adminPassword)).access_token);
  const person: World['person'] = async (username) => {
    const password = `secret-${username}`;
    const { id } = await (await admin()).members.create({ username, password });
    const { access_token: token, refresh_token } = await logIn(username, password);
    return { id, client: await as(token), token, refresh_token: refresh_token as string };
  };
  return { ...platform, way, settings, as, admin, person };
}

/** A platform's operations as data, made once for all platforms of a test file that have the same ones: Joi takes long for it. */
function operationsOf(kernel: Kernel): OperationsData {
  const ids = [...kernel.host.catalog.operations.keys()].join();
  const data = described.get(ids) ?? kernel.operations();
  described.set(ids, data);
  return data;
}

type OperationsData = ReturnType<Kernel['operations']>;
const described = new Map<string, OperationsData>();

/** Asks who the token belongs to at each call, as a door does. */
async function directly({ kernel }: TestPlatform, token: string | undefined): Promise<Transport> {
  const nobody = callerOf({ member_id: 0, username: '', role: 'member', address: '192.0.2.1' });
  return {
    call: async (request) => {
      const caller = token === undefined ? nobody : await kernel.tokenCaller(token, 'direct');
      return direct({ invoke: (...given) => kernel.invoke(...given), localCaller: () => kernel.localCaller('direct') }, caller).call(
        request,
      );
    },
    stream: () => {
      throw new Error('members has no streams');
    },
    close: async () => undefined,
  };
}

/** The code of the failure that the work ends in, and what else tests ask of it. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: string; status: number; paths?: string[]; retry_after?: number }> {
  try {
    await work;
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown;
    const { code, status, details, retry_after } = thrown;
    return {
      code,
      status,
      ...(details === undefined ? {} : { paths: details.map(({ path }) => path) }),
      ...(retry_after === undefined ? {} : { retry_after }),
    };
  }
  throw new Error('It was to fail, and did not');
}

/** Waits until a condition holds, at most thirty seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > limit) throw new Error('Waited thirty seconds for a condition that never held');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A clock that a test sets forward. */
export function movableClock(): { now(): number; forward(ms: number): void } {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward: (ms) => {
      ahead += ms;
    },
  };
}
