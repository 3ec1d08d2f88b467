/** Asks at once for all modules that the document names. Without it a browser learns of a module only from the one that imports it. */
export function fetchModules(): void {
  const named = document.querySelector<HTMLMetaElement>('meta[name="app-modules"]');
  // Once is enough.
  named?.remove();
  for (const address of named?.content.split(' ') ?? []) {
    if (address === '') continue;
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = address;
    document.head.append(link);
  }
}
