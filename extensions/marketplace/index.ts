import { type Cleaner, type Context, type Extension, isFailure } from '../../kernel/contract/index.js';
import { BundleShelf } from './bundle-shelf.js';
import { codes, fail } from './codes.js';
import type { Marketplace } from './contract.js';
import { handlersOf } from './handlers.js';
import { Housekeeping } from './housekeeping.js';
import { Ids } from './ids.js';
import { Importing } from './importing.js';
import { Installing } from './installing.js';
import { Lookup } from './lookup.js';
import { migration } from './migrations/0001-marketplace.js';
import { trustedKeys } from './migrations/0002-trusted-keys.js';
import { defineModels } from './models.js';
import { operations } from './operations.js';
import { Publishing } from './publishing.js';
import { Reviewing } from './reviewing.js';
import { Searching } from './searching.js';
import { Showing } from './showing.js';
import { Trust } from './signatures/trust.js';
import { Newest } from './sources/newest.js';
import { openSources, type SourceSettings } from './sources/open.js';
import { ExtensionStore } from './store/extensions.js';
import { Searches } from './store/searches-sql.js';
import { TrustedKeyStore } from './store/trusted-keys.js';
import { VersionStore } from './store/versions.js';
import { Upstream } from './upstream.js';

const cleaners = 'maintenance.cleanup';

/** The section `marketplace` of the configuration. */
interface Settings extends SourceSettings {
  require_trusted: boolean;
}

async function activate(ctx: Context<Marketplace>): Promise<void> {
  const { db, clock, log, extensions, blobs, background } = ctx;
  const models = defineModels(db);
  const [rows, versions] = [new ExtensionStore(models.extensions), new VersionStore(models.versions)];
  const shelf = new BundleShelf({ db, blobs, log });
  const ids = new Ids({ extensions: rows, versions });
  const settings = ctx.config as unknown as Settings;
  const trust = new Trust({ db, keys: new TrustedKeyStore(models.trustedKeys), extensions, clock, required: settings.require_trusted });
  const sources = openSources(settings, ctx);
  const upstream = new Upstream({ sources, log });
  const lookup = new Lookup({ ids, versions, upstream });
  const importing = new Importing({
    db,
    clock,
    reader: extensions,
    trust,
    shelf,
    ids,
    extensions: rows,
    versions,
    folder: () => ctx.files(),
  });
  const installed = async () => new Map((await extensions.installed()).map(({ id, version }) => [id, version]));
  const emit: Context<Marketplace>['emit'] = (topic, payload) => ctx.emit(topic, payload);
  const about = (what: string) => ctx.about(what);
  const usernameOf = async (member_id: number) => {
    try {
      return ((await ctx.call('members.get', { id: member_id })) as { username: string }).username;
    } catch (fault) {
      if (isFailure(fault) && fault.status === 404) throw fail('member_not_found', `There is no member ${member_id}`, { cause: fault });
      throw fault;
    }
  };

  const housekeeping = new Housekeeping({ db, clock, extensions: rows, versions });
  ctx.contribute(cleaners, { name: 'rejections', clean: () => housekeeping.clean() } satisfies Cleaner);
  ctx.contribute(cleaners, { name: 'downloads', clean: () => importing.sweep() } satisfies Cleaner);
  if (background) await importing.sweep();
  ctx.expose(
    operations,
    handlersOf({
      about,
      searching: new Searching({ searches: new Searches(db, models.versions), versions, upstream, installed }),
      showing: new Showing({ lookup, shelf, extensions: rows, versions, trust, installed }),
      publishing: new Publishing({ clock, extensions, shelf, ids, versions, trust, about, emit }),
      installing: new Installing({
        db,
        extensions,
        lookup,
        importing,
        rows,
        versions,
        trust,
        upstream: new Newest({ sources, clock, log, signal: ctx.signal }),
      }),
      reviewing: new Reviewing({
        db,
        clock,
        platform_version: extensions.platform_version,
        shelf,
        ids,
        extensions: rows,
        versions,
        trust,
        emit,
        usernameOf,
      }),
      trust,
    }),
    codes,
  );
}

export default { migrations: [migration, trustedKeys], activate } satisfies Extension<Marketplace>;
