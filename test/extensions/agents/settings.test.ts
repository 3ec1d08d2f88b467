import t from 'tap';
import { explain } from '../../../extensions/agents/model/failures.js';
import { hostOf, readModel } from '../../../extensions/agents/settings.js';
import { startPlatform } from '../../helpers/platform.js';

const base_url = 'https://ada:secret-word@models.example:8443/v1';

t.test('without an address there is no model, and without a name any model is used', async (t) => {
  t.equal(readModel({}), undefined);
  t.equal(readModel({ model: { name: 'm' } }), undefined);
  t.same(readModel({ model: { base_url } }), { base_url, api_key: '', name: 'default', features: {}, max_tokens: 0 });
});

t.test('people see the host of the model, never the credentials in its address', async (t) => {
  t.equal(hostOf({ base_url }), 'models.example:8443');
  t.equal(hostOf({ base_url: 'nonsense' }), 'nonsense');
  const failure = explain(new Error('no'), { base_url, api_key: '', name: 'm' });
  t.match(failure.message, /^The model 'm' at models\.example:8443 gave no usable answer: no\. /);
  const long = explain(new Error('maximum context length is 9000 tokens.'), { base_url, api_key: '', name: 'm' });
  t.match(long.message, / tokens\. [A-Z]/, "the server's words and the advice are separated by one full stop");
  const { kernel, lines } = await startPlatform(t, { settings: { 'agents.model.base_url': base_url, 'agents.model.name': 'm' } });
  const { body } = await kernel.invoke('checks.list', {}, await kernel.localCaller('direct'));
  t.match(
    (body as { code: string }[]).find(({ code }) => code === 'model'),
    { message: /'m' at models\.example:8443 / },
  );
  t.notMatch(JSON.stringify([body, lines]), /secret-word/);
});
