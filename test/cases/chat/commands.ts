/** A message to an AI employee that has a model, and who answers it. */
export interface CommandCase {
  name: string;
  source: string;
  text: string;
  /** `model`: it reaches the model; else what the command says. */
  answer: 'model' | RegExp;
}

const own = 'docs/using/chat.md: commands';

export const commandCases: readonly CommandCase[] = [
  { name: '/help shows the commands', source: own, text: '/help', answer: /^I know these commands:/ },
  { name: '/tools lists the tools', source: own, text: '/tools', answer: /^I can use these \d+ for you:/ },
  { name: '/skills lists the skills', source: own, text: '/skills', answer: /skills/ },
  { name: '/run says why there is no node', source: own, text: '/run ls', answer: /^Running commands needs a node/ },
  { name: '/call uses an operation', source: own, text: '/call members.seats {}', answer: /"used"/ },
  { name: '/call without an operation asks for one', source: own, text: '/call', answer: /^Which operation\?/ },
  { name: '/schedule without a time explains its syntax', source: own, text: '/schedule tomorrow Do it', answer: /is not a time/ },
  {
    name: 'a command in capitals, with blanks around',
    source: 'Mattermost and Slack take commands in any case',
    text: '  /HELP  ',
    answer: /^I know/,
  },
  { name: 'a path is not a command', source: 'hierarchy of file systems, hier(7)', text: '/etc/hosts has a wrong line', answer: 'model' },
  { name: 'a path alone is not a command', source: 'hier(7)', text: '/usr', answer: 'model' },
  { name: 'a path that begins like a command is not a command', source: 'hier(7)', text: '/run/user/1000 is full', answer: 'model' },
  {
    name: 'an unknown command reaches the model',
    source: 'open-webui/open-webui: slash prompts',
    text: '/summarize this text',
    answer: 'model',
  },
  { name: 'a slash alone', source: own, text: '/', answer: 'model' },
  { name: 'a command in the middle of a text is text', source: own, text: 'What does /help do?', answer: 'model' },
  { name: 'a code comment is not a command', source: 'ISO C: comments', text: '/* help */ int main;', answer: 'model' },
  { name: 'a fraction', source: own, text: '/2 of the budget', answer: 'model' },
];
