import type { Config } from '../../config/schema.js';
import { requireAuthenticator } from '../core/host/authenticator.js';
import { Disposables } from '../core/host/disposables.js';
import { openStorage } from '../platform/data/storage.js';
import { openAdministration } from './administration.js';
import { type HostParts, openHost } from './host.js';
import { type DoorParts, openDoors } from './http.js';
import type { BootOptions, Kernel } from './kernel.js';
import { openServices, type ServiceParts } from './services.js';
import { openStorageParts, type StorageParts } from './storage.js';

/** Starts a platform. Each call starts a separate one; they share only the resources that the configuration names. */
export async function boot(config: Config, options: BootOptions): Promise<Kernel> {
  const resources = new Disposables();
  try {
    const storage = await openStorageParts(config, options, resources);
    const services = await openServices(config, options, storage, resources);
    const doors = await openDoors(config, options, { storage, services, resources });
    const hosting = openHost(config, options, { storage, services, doors, resources });
    const administration = openAdministration(config, options, { storage, services, doors, hosting, resources });
    const { host, installation } = hosting;
    const found = await installation.installer.found();
    await host.boot([{ bundle: administration.bundle, folder: undefined, builtin: true, enabled: true }, ...found]);
    await installation.start(resources);
    const listening = await doors.http?.listen();
    if (listening) administration.listens(listening);
    if (listening) services.own_addresses.push(`${new URL(listening.url).hostname}:${listening.port}`);
    return kernelOf(listening?.url, { storage, services, doors, hosting, resources });
  } catch (fault) {
    await resources.dispose();
    throw fault;
  }
}

interface Parts {
  storage: StorageParts;
  services: ServiceParts;
  doors: DoorParts;
  hosting: HostParts;
  resources: Disposables;
}

function kernelOf(url: string | undefined, { storage, services, doors, hosting, resources }: Parts): Kernel {
  const { instance, log, data, blobs } = storage;
  const { invoke, authenticator, events } = services;
  const { host, walls } = hosting;
  const { installer } = hosting.installation;
  return {
    url,
    instance,
    log,
    host,
    installer,
    walls,
    workbench: {
      async install(zip) {
        await installer.installPlugin({ blob: await blobs.of('kernel').put(zip), accept_permissions: true });
      },
      emit: (topic, payload) => events.emit(topic as never, payload as never),
      storage: (extension) => openStorage(data, extension),
    },
    invoke,
    localCaller: async (door) => requireAuthenticator(authenticator()).local(door),
    tokenCaller: async (token, door) => requireAuthenticator(authenticator()).token(token, door, ''),
    operations: () => Object.fromEntries([...host.catalog.operations].map(([id, active]) => [id, active.data()])),
    openSocket: () => doors.inner.connect(),
    settled: () => host.settled(),
    async close() {
      await doors.http?.drain();
      const faults = await resources.dispose();
      for (const fault of faults) log.warn('A resource could not be released', { err: fault });
    },
  };
}
