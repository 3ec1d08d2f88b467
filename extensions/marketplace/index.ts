import { type Context, type Extension, isFailure } from '../../kernel/contract/index.js';
import { BundleShelf } from './bundle-shelf.js';
import { codes, fail } from './codes.js';
import type { Marketplace } from './contract.js';
import { handlersOf } from './handlers.js';
import { Ids } from './ids.js';
import { Importing } from './importing.js';
import { Installing } from './installing.js';
import { Lookup } from './lookup.js';
import { migration } from './migrations/0001-marketplace.js';
import { operations } from './operations.js';
import { Publishing } from './publishing.js';
import { Reviewing } from './reviewing.js';
import { Searching } from './searching.js';
import { Showing } from './showing.js';
import { ExtensionStore } from './store/extensions.js';
import { Searches } from './store/searches.js';
import { VersionStore } from './store/versions.js';
import { Upstream } from './upstream.js';

async function activate(ctx: Context<Marketplace>): Promise<void> {
  await ctx.migrate([migration]);
  const { db, clock, log, extensions, blobs, background } = ctx;
  const [rows, versions] = [new ExtensionStore(db), new VersionStore(db)];
  const shelf = new BundleShelf({ db, blobs, log });
  const ids = new Ids({ extensions: rows, versions });
  const upstream = new Upstream({ sources: [], log });
  const lookup = new Lookup({ ids, versions, upstream });
  const check = (file: string, signal?: AbortSignal) => extensions.check(file, signal);
  const importing = new Importing({ db, clock, check, shelf, ids, extensions: rows, versions, folder: () => ctx.files() });
  const installed = async () => new Map((await extensions.installed()).map(({ id, version }) => [id, version]));
  const emit: Context<Marketplace>['emit'] = (topic, payload) => ctx.emit(topic, payload);
  const usernameOf = async (member_id: number) => {
    try {
      return ((await ctx.call('members.get', { id: member_id })) as { username: string }).username;
    } catch (fault) {
      if (isFailure(fault) && fault.status === 404) throw fail('member_not_found', `There is no member ${member_id}`, { cause: fault });
      throw fault;
    }
  };

  if (background) await importing.sweep();
  ctx.expose(
    operations,
    handlersOf({
      searching: new Searching({ searches: new Searches(db), upstream, installed }),
      showing: new Showing({ lookup, shelf, extensions: rows, versions, installed }),
      publishing: new Publishing({ clock, extensions, shelf, ids, versions, emit }),
      installing: new Installing({ db, extensions, lookup, importing, rows, versions }),
      reviewing: new Reviewing({
        db,
        clock,
        platform_version: extensions.platform_version,
        shelf,
        ids,
        extensions: rows,
        versions,
        emit,
        usernameOf,
      }),
    }),
    codes,
  );
}

export default { activate } satisfies Extension<Marketplace>;
