import t from 'tap';
import type { Message } from '../../../../extensions/chat/contract.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { callTools, type ModelServer, say } from '../../../helpers/model-server.js';
import { administrator } from '../../chat/world.js';
import { agentsOf } from '../employment.js';
import { node, onNode, turn } from '../nodes/world.js';
import { ask, onOneAndTwo, pair } from '../world.js';
import { install, reports, skillText, skillZip, tidied, uninstall, withMarket } from './world.js';

/** The model's last request: the system prompt and the names of its tools. */
function toldTo(model: ModelServer) {
  const { messages = [], tools = [] } = model.exchanges.at(-1)?.body ?? {};
  return { system: String(messages[0]?.content), tools: tools.map(({ function: { name } }) => name), messages };
}

const results = ({ tool_calls }: Message) => tool_calls.map(({ output, error }) => error ?? output ?? '');

t.test('an AI employee sees its skills, uses one, and reads its files, on every instance at once', async (t) => {
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      tidied(t, one, two);
      const { ada, target_id } = await pair(t, one, 'assistant');
      const there = await ada.on(two);
      const shown = async () => (await administrator(two).members.list_virtual({})).find(({ id }) => id === target_id)?.skills;
      model.script(say('Hello.'));
      await ask(there, { content: 'Hello', target_id });
      t.notOk(toldTo(model).tools.includes('use_skill'), 'without skills their tool is not offered');
      t.notMatch(toldTo(model).system, /skill/i);

      await install(one, skillZip('acme.reports', reports));
      await becomes(t, shown, ['table-reports']);
      const read = (path: string, more: object = {}) => ({ name: 'read_skill_file', arguments: { skill: 'table-reports', path, ...more } });
      model.script(
        callTools([{ name: 'use_skill', arguments: { name: 'table-reports' } }]),
        callTools(
          [
            read('references/RULES.md'),
            read('./assets/sample.csv', { offset: 4 }),
            read('../../../../../etc/passwd'),
            read('/etc/passwd'),
            read('scripts'),
            read('manifest.json', { limit: 16 }),
            { name: 'use_skill', arguments: {} },
            { name: 'use_skill', arguments: { name: 'none\u001b[2J' } },
          ].map((call, index) => ({ ...call, id: `c${index}` })),
        ),
        say('Done.'),
      );
      const { reply } = await ask(there, { content: 'A report, please', target_id });
      t.match(reply, { status: 'completed', content: 'Done.' });
      t.match(
        model.exchanges.at(-3)?.body.messages[0]?.content,
        /\n<skill name="table-reports">Makes reports of tables\. Use it when somebody asks for sums, or for a report of figures\.<\/skill>\n/,
      );
      const [used = '', ...others] = results(reply);
      t.match(used, /^The skill `table-reports` \(acme\.reports 1\.0\.0\)\./);
      t.match(used, /It needs: Needs a shell\./);
      t.match(used, /written for these tools, which it does not include: Bash\(awk:\*\), Read\. Use the ones you have\./);
      t.match(used, /- scripts\/sum\.sh \(\d+ bytes\)/);
      t.match(used, /You have no work node here.*not run the scripts/);
      t.match(used, /\n# Table reports\n\nRun `scripts\/sum\.sh <file>`; read \[the rules\]/);
      t.notMatch(used, /^---|compatibility:|manifest\.json/m, 'the text has no front matter');
      t.match(others, [
        '# Rules\n\nSums have no decimals.\n',
        'b,41\n',
        /^The skill 'table-reports' has no file '\.\.\/\.\.\/\.\.\/\.\.\/\.\.\/etc\/passwd'\. It has: LICENSE\.txt, SKILL\.md, assets\/sample\.csv/,
        /has no file '\/etc\/passwd'/,
        /has no file 'scripts'/,
        /^\{"id":"acme\.repo\n\[… \d+ more bytes: continue with read_skill_file/,
        /^- `table-reports` \(acme\.reports\): Makes reports of tables\./,
        /^You have no skill 'none\ufffd\[2J'\. You have: table-reports$/,
      ]);
      t.equal(reply.tool_calls.length, 9, 'reading needs no approval');

      await install(two, skillZip('acme.reports', { 'SKILL.md': skillText('sums', 'Another version.') }, '2.0.0'));
      await until(shown, (names) => names?.[0] === 'sums');
      model.script(say('Hello.'));
      await ask(there, { content: 'Hello', target_id });
      t.match(toldTo(model).system, /<skill name="sums">Another version\.<\/skill>/);
      await uninstall(one, 'acme.reports');
      await becomes(t, shown, []);
      model.script(say('Hello.'));
      await ask(there, { content: 'Hello', target_id });
      t.notMatch(toldTo(model).system, /skill/i);
    },
    withMarket,
  );
});

t.test('an AI employee has its assigned skills, and the settings survive restarts', async (t) => {
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      tidied(t, one, two);
      const { ada, target_id: member_id } = await pair(t, one, 'assistant');
      const agents = agentsOf(one);
      await install(one, skillZip('acme.one', { 'SKILL.md': skillText('one', 'Does one.') }));
      await install(one, skillZip('acme.two', { 'SKILL.md': skillText('two', 'Does two.') }));
      const told = async () => {
        model.script(say('Hello.'));
        await ask(ada.direct, { content: 'Hello', target_id: member_id });
        return [...toldTo(model).system.matchAll(/<skill name="(.*?)">/g)].map(([, name]) => name);
      };
      t.same(await told(), ['one', 'two'], 'all skills are assigned by default');
      await t.rejects(
        agents.update({ member_id, skills: ['acme.two', 'al'] }),
        { code: 'invalid_input', details: [{ path: 'skills.1' }] },
        'a part of the word `all` is not a skill name',
      );
      t.match(await agents.update({ member_id, skills: ['acme.two'] }), { skills: ['acme.two'], missing_skills: [] });
      t.same(await told(), ['two']);
      await t.rejects(agents.update({ member_id, skills: ['acme.two', 'acme.three'] }), {
        code: 'invalid_input',
        details: [{ path: 'skills.1', message: 'Unknown id "acme.three"' }],
      });

      await uninstall(one, 'acme.two');
      t.same(await told(), []);
      const shown = await agents.get({ member_id });
      t.match(shown, { skills: ['acme.two'], missing_skills: ['acme.two'] });
      t.match(
        (await agents.list({})).find((each) => each.member_id === member_id),
        { missing_skills: ['acme.two'] },
      );
      const sent = { member_id, instructions: 'Be brief.', skills: ['acme.two', 'acme.one'] };
      t.match(
        await agents.update(sent),
        { instructions: 'Be brief.', missing_skills: ['acme.two'] },
        'a read record can be sent back unchanged',
      );
      t.same(await told(), ['one']);
      await install(one, skillZip('acme.two', { 'SKILL.md': skillText('two', 'Does two.') }));
      t.same(await told(), ['one', 'two'], 'a skill that is installed again is assigned again');
      t.match(await agents.update({ member_id, skills: [] }), { skills: [] });
      t.same(await told(), []);
      await agents.update({ member_id, skills: 'all', tools: ['read_skill_file'] });
      t.same(await told(), [], 'an employee without the tool for skills gets no guide about them');

      await agents.update({ member_id, tools: 'all', mode: 'supervised' });
      model.script(callTools([{ name: 'use_skill', arguments: { name: 'one' } }]), say('Done.'));
      const waiting = await ada.direct.chat.send({ content: 'Use it', target_id: member_id });
      const [approval] = await until(
        () => ada.direct.approvals.list({ status: 'pending', limit: 10, offset: 0 }),
        (open) => open.length > 0,
      );
      t.match(approval, { task_id: waiting.task_id, name: 'use_skill', effect: 'read' }, 'this mode asks for approval');
    },
    withMarket,
  );
});

t.test('a skill that is removed during its use is reported', async (t) => {
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      tidied(t, one, two);
      const { ada, target_id } = await pair(t, one, 'autonomous');
      await install(one, skillZip('acme.reports', reports));
      await install(one, skillZip('acme.other', { 'SKILL.md': skillText('other', 'Another.') }));
      model.script(async (exchange) => {
        await uninstall(one, 'acme.reports');
        await agentsOf(one).update({ member_id: target_id, skills: [] });
        await callTools([
          { name: 'use_skill', arguments: { name: 'table-reports' }, id: 'a' },
          { name: 'read_skill_file', arguments: { skill: 'other', path: 'SKILL.md' }, id: 'b' },
          { name: 'use_skill', arguments: {}, id: 'c' },
        ])(exchange);
      }, say('Done.'));
      const { reply } = await ask(ada.direct, { content: 'A report', target_id });
      t.same(results(reply), [
        "You have no skill 'table-reports'. You have: none",
        "You have no skill 'other'. You have: none",
        'You no longer have any skills.',
      ]);
    },
    withMarket,
  );
});

t.test("a skill's files are provided on a node; a node that is offline or not granted is reported", async (t) => {
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      tidied(t, one, two);
      const { ada } = await pair(t, one, 'autonomous');
      const id = node();
      const target_id = await onNode(one, id);
      await install(one, skillZip('acme.reports', reports));
      await install(one, skillZip('acme.words', { 'SKILL.md': skillText('words', 'Has no files.') }));
      const use = async (name: string, before: () => Promise<unknown> = async () => undefined) => {
        model.script(async (exchange) => {
          await before();
          await callTools([{ name: 'use_skill', arguments: { name } }])(exchange);
        }, say('Done.'));
        const { reply } = await ask(ada.direct, { content: 'A report', target_id });
        return reply.tool_calls[0];
      };
      t.match(await use('table-reports'), {
        error: null,
        output: 'On your work node they are in `/yard/.skills/acme.reports`. Run scripts',
      });
      t.notMatch((await use('words'))?.output, /node/);
      const away = await use('table-reports', () => turn(one, id, 'offline', { silent: true }));
      t.match(
        away?.error,
        /^The files of the skill 'table-reports' are not on your work node, so its scripts can't be run now: .* offline \(node_offline\)$/,
      );
      t.match(away?.output, /# Table reports/, 'the instructions are returned without the files');
      await turn(one, id, 'online');
      await agentsOf(one).update({ member_id: target_id, node_users: 'admins' });
      t.match(await use('table-reports'), { error: null, output: /may not use it for this person.*not run the scripts/ });
    },
    withMarket,
  );
});
