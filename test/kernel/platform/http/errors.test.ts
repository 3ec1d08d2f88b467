import t from 'tap';
import { Failure } from '../../../../kernel/contract/failure.js';
import { errorBody } from '../../../../kernel/platform/http/errors.js';

t.test('error responses do not reveal the software in use', async (t) => {
  const secrets = {
    database_unavailable: 'The database /srv/data/platform.db is closed',
    database_busy: "The PostgreSQL server is too busy: relation 'chat_tasks'",
    database_corrupt: 'The database /srv/data/platform.db is damaged',
    blob_corrupt: 'The blob sha256:00 is damaged',
    bus_unavailable: "Redis at 10.0.0.5:6379 doesn't serve",
  };
  for (const [code, sentence] of Object.entries(secrets)) {
    const { message, ...rest } = errorBody(new Failure(code, sentence, { status: 503 }), 'r1');
    t.same(rest, { statusCode: 503, error: 'Service Unavailable', code, request_id: 'r1' });
    t.notMatch(message, /\/srv|PostgreSQL|relation|sha256|10\.0/, code);
  }
  t.equal(errorBody(new Failure('model_error', 'The model answered 500', { status: 502 }), 'r1').message, 'The model answered 500');
});
