import t from 'tap';
import { eachPlatform } from '../../../helpers/cluster.js';
import { someone } from '../../chat/world.js';
import { agentsOf, employ } from '../employment.js';
import { install, reports, skillText, skillZip, tidied, withMarket } from './world.js';

t.test('without a model `/skills` lists the skills and displays one', async (t) => {
  await eachPlatform(t, withMarket, async (t, platform) => {
    tidied(t, platform);
    const ada = (await someone(t, platform)).http;
    const { member_id, talk } = await employ(platform);
    const say = async (content: string) => (await talk(ada, content)).reply;
    const none = /I have no skills\. An administrator installs them from the marketplace, and assigns them to me/;
    t.match((await say('/skills')).content, none);
    t.match((await say('/help')).content, /- `\/skills`: unavailable\. I have no skills\./);

    await install(platform, skillZip('acme.reports', reports));
    await install(platform, skillZip('beta.letters', { 'SKILL.md': skillText('letters', 'Writes\nletters.', `# Letters\nlong long`) }));
    const listed = await say('/skills');
    t.same(listed.content.split('\n'), [
      '- `table-reports` (acme.reports): Makes reports of tables. Use it when somebody asks for sums, or for a report of figures.',
      '- `letters` (beta.letters): Writes letters.',
    ]);
    t.match(listed.tool_calls, [{ name: 'use_skill', input: {}, error: null }], 'the tool is the one that a model uses');
    const help = (await say('/help')).content;
    t.match(help, /- `\/skills \[name\]`: Lists my skills, or shows the instructions of one/);
    t.notMatch(help, /unavailable\. I have no skills/);
    t.match((await say('/skills table-reports')).content, /^The skill `table-reports`.*# Table reports.*scripts\/sum\.sh/s);
    t.match((await say('/skills beta.letters')).content, /# Letters\nlong long$/);
    t.match((await say('/skills nothing')).content, "`use_skill` failed: You have no skill 'nothing'. You have: table-reports, letters");
    await agentsOf(platform).update({ member_id, skills: ['beta.letters'] });
    t.match((await say('/skills')).content, /^- `letters`[^\n]*$/);
    await agentsOf(platform).update({ member_id, tools: ['members.list'] });
    t.match((await say('/skills')).content, none);
  });
});
