import type { Kernel } from '../../kernel/boot/kernel.js';

export const password = 'bench password';

/** Limits that are counted and never met. */
export const unmet = { 'limits.requests_per_minute': 1_000_000_000, 'limits.costly_per_minute': 1_000_000_000 } as const;

/** An access token of a member with the benchmarks' password. Default: of the administrator. */
export async function logIn(kernel: Kernel, username = 'admin'): Promise<string> {
  const nobody = {
    member_id: 0,
    username: '',
    role: 'member',
    scopes: 'all',
    door: 'direct',
    address: '',
    token_id: '',
    expires_at: 0,
  } as const;
  const { body } = await kernel.invoke('auth.login', { username, password }, nobody);
  return (body as { access_token: string }).access_token;
}
