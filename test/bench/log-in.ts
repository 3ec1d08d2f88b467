import type { Kernel } from '../../kernel/kernel.js';

export const password = 'bench password';

/** An access token of the administrator. */
export async function logIn(kernel: Kernel): Promise<string> {
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
  const { body } = await kernel.invoke('auth.login', { username: 'admin', password }, nobody);
  return (body as { access_token: string }).access_token;
}
