import t from 'tap';
import { converse, login, withModel } from '../extensions/chat/world.js';
import { say } from '../helpers/model-server.js';
import { ownExtension, startPlatform } from '../helpers/platform.js';
import { commandCases } from './chat/commands.js';

t.test('commands work with a model configured, and other texts reach the model', async (t) => {
  const { model, options } = await withModel(t);
  const extensions = ['members', 'chat', 'agents', 'schedules'].map(ownExtension);
  const platform = await startPlatform(t, { ...options, extensions });
  const admin = await login(t, platform);
  for (const { name, text, answer, source } of commandCases)
    await t.test(`${name} (${source})`, async (t) => {
      const asked = model.exchanges.length;
      model.script(say('From the model.'));
      const { reply } = await converse(admin, text);
      t.match(reply, { status: 'completed', content: answer === 'model' ? 'From the model.' : answer });
      t.equal(model.exchanges.length - asked, answer === 'model' ? 1 : 0);
    });
});
