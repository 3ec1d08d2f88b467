import { type AnchorHTMLAttributes, createContext, createElement, type ReactNode, useCallback, useContext, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { connection } from './connection.js';

/** The address that a page shows. */
export interface Route {
  /** Without the platform's own prefix: `/chat/1`. */
  readonly path: string;
  /** Values of the pattern's names: `{ session_id }`. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

/** Values of the names in the pattern that matched. The shell provides them. */
export const RouteParams = createContext<Route['params']>({});

/** Returns the address that is shown, as the page's pattern reads it. */
export function useRoute(): Route {
  const [path] = useLocation();
  const search = useSearch();
  const params = useContext(RouteParams);
  return useMemo(() => ({ path, params, query: new URLSearchParams(search) }), [path, search, params]);
}

export interface GoOptions {
  /** Whether the present address leaves the history. */
  replace?: boolean;
}

/** Returns a function that shows another address: `go('/chat/1')`. */
export function useGo(): (path: string, options?: GoOptions) => void {
  const [, navigate] = useLocation();
  return useCallback((path: string, options: GoOptions = {}) => navigate(path, options), [navigate]);
}

export interface GoProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** Address below the platform's own prefix. */
  to: string;
  replace?: boolean;
  children?: ReactNode;
}

/** A link to another page. */
export function Go({ to, ...rest }: GoProps) {
  return createElement(Link, { href: to, ...rest } as never);
}

/** Returns the whole address of a path, to be copied or sent. */
export function addressOf(path: string): string {
  return location.origin + connection().prefix + path;
}
