import hapi from '@hapi/hapi';
import jwt from '@hapi/jwt';

const key = 'a secret of the benchmark alone';

/** hapi alone on a free port, which checks tokens as the platform does, and one of a member's. */
export async function bareHapi(member: string): Promise<{ server: hapi.Server; token: string }> {
  const server = hapi.server({ host: '127.0.0.1', port: 0, compression: false });
  await server.register(jwt);
  server.auth.strategy('jwt', 'jwt', {
    keys: { key, algorithms: ['HS256'] },
    verify: { aud: 'platform', iss: 'platform', sub: false, maxAgeSec: 28_800 },
    validate: (artifacts: { decoded: { payload: { sub: string } } }) => ({
      isValid: true,
      credentials: { id: Number(artifacts.decoded.payload.sub) },
    }),
  });
  const token = jwt.token.generate({ sub: member, aud: 'platform', iss: 'platform' }, { key, algorithm: 'HS256' });
  return { server, token };
}
