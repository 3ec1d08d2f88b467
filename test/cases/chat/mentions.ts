/** A text for an AI employee with a user name in it, and whether it mentions that person. */
export interface MentionCase {
  name: string;
  source: string;
  /** NAME stands for the user name. */
  text: string;
  mentioned: boolean;
}

const gfm = 'GitHub documentation, mentioning people';

export const mentionCases: readonly MentionCase[] = [
  { name: 'a name in a sentence', source: gfm, text: 'Ask @NAME, please', mentioned: true },
  { name: 'a name at the end of a sentence', source: 'mattermost/mattermost: trailing punctuation', text: 'Ask @NAME.', mentioned: true },
  { name: 'a name in brackets', source: gfm, text: 'Ask her (@NAME)', mentioned: true },
  { name: 'a name in an e-mail address', source: 'RFC 5322', text: 'Write to post@NAME', mentioned: false },
  { name: 'a name in inline code', source: gfm, text: 'Run `npm i @NAME`', mentioned: false },
  { name: 'a name in a block of code', source: gfm, text: '```\n@NAME\n```', mentioned: false },
  { name: 'a scope of a package', source: 'npm documentation, scopes', text: 'Install @NAME/tools', mentioned: false },
  { name: 'the beginning of a longer name', source: gfm, text: 'Ask @NAMEs', mentioned: false },
  { name: 'a name without @', source: gfm, text: 'Ask NAME', mentioned: false },
];
