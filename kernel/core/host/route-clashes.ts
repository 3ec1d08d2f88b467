interface Route {
  id: string;
  method: string;
  path: string;
}

/** Returns the routes that answer the same requests as an earlier one: same method, and paths that differ in parameter names at most. */
export function routeClashes<Each extends Route>(routes: readonly Each[]): { earlier: Each; later: Each }[] {
  const taken = new Map<string, Each>();
  return routes.flatMap((later) => {
    const place = `${later.method} ${later.path.replace(/\{\w+\}/g, '{}')}`;
    const earlier = taken.get(place);
    if (earlier !== undefined) return [{ earlier, later }];
    taken.set(place, later);
    return [];
  });
}
