import { type Cleaner, type Context, type Extension, isFailure } from '../../kernel/contract/index.js';
import { BundleStore } from './bundle-store.js';
import { codes, fail } from './codes.js';
import type { Marketplace } from './contract.js';
import { DetailService } from './detail-service.js';
import { examples } from './examples.js';
import { handlersOf } from './handlers.js';
import { removeRejected } from './housekeeping.js';
import { ExtensionIds } from './ids.js';
import { Importer } from './importer.js';
import { InstallService } from './install-service.js';
import { Lookup } from './lookup.js';
import { migration } from './migrations/0001-marketplace.js';
import { trustedKeys } from './migrations/0002-trusted-keys.js';
import { defineModels } from './models.js';
import { operations } from './operations.js';
import { PublishService } from './publish-service.js';
import { ReviewService } from './review-service.js';
import { SearchService } from './search-service.js';
import { Trust } from './signatures/trust.js';
import { newestAt } from './sources/newest.js';
import { openSources, type SourceSettings } from './sources/open.js';
import { ExtensionStore } from './store/extensions.js';
import { Searches } from './store/searches-sql.js';
import { TrustedKeyStore } from './store/trusted-keys.js';
import { VersionStore } from './store/versions.js';
import { Upstream } from './upstream.js';

const cleaners = 'maintenance.cleanup';

/** Section `marketplace` of the configuration. */
interface Settings extends SourceSettings {
  require_trusted: boolean;
}

async function activate(ctx: Context<Marketplace>): Promise<void> {
  const { db, clock, log, extensions: installer, blobs, background } = ctx;
  const models = defineModels(db);
  const [extensions, versions] = [new ExtensionStore(models.extensions), new VersionStore(models.versions)];
  const settings = ctx.config as unknown as Settings;
  const keys = new TrustedKeyStore(models.trustedKeys);
  const trust = new Trust({ db, keys, extensions: installer, clock, required: settings.require_trusted, about: (id) => ctx.about(id) });
  const sources = openSources(settings, ctx);
  const bundles = new BundleStore({ db, blobs, log });
  const ids = new ExtensionIds({ extensions, versions });
  const upstream = new Upstream({ sources, log });
  const stored = { db, clock, installer, extensions, versions, bundles, ids, trust };
  const importing = new Importer({ ...stored, folder: () => ctx.files() });
  const usernameOf = async (member_id: number) => {
    try {
      return ((await ctx.call('members.get', { id: member_id })) as { username: string }).username;
    } catch (fault) {
      if (isFailure(fault) && fault.status === 404) throw fail('member_not_found', `There is no member ${member_id}`, { cause: fault });
      throw fault;
    }
  };

  const parts = {
    ...stored,
    importing,
    upstream,
    usernameOf,
    searches: new Searches(db, models.versions),
    newest: newestAt(sources, ctx),
    lookup: new Lookup({ ids, versions, upstream }),
    emit: ((topic, payload) => ctx.emit(topic, payload)) satisfies Context<Marketplace>['emit'],
    about: (what: string) => ctx.about(what),
    installed: async () => new Map((await installer.installed()).map(({ id, version }) => [id, version])),
  };
  ctx.contribute(cleaners, { name: 'rejections', clean: () => removeRejected(parts) } satisfies Cleaner);
  ctx.contribute(cleaners, { name: 'downloads', clean: () => importing.deleteAbandoned() } satisfies Cleaner);
  if (background) await importing.deleteAbandoned();
  const handlers = handlersOf({
    about: parts.about,
    trust,
    searching: new SearchService(parts),
    details: new DetailService(parts),
    publish: new PublishService(parts),
    installing: new InstallService(parts),
    reviewing: new ReviewService(parts),
  });
  ctx.examples(examples);
  ctx.expose(operations, handlers, codes);
}

export default { migrations: [migration, trustedKeys], activate } satisfies Extension<Marketplace>;
