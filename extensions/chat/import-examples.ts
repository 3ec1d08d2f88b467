import type { Examples } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import { id } from './session-examples.js';

type ImportApi = Pick<ChatApi, Extract<keyof ChatApi, `imports.${string}`>>;

const source = 'mattermost';
const ada = { id: 'ada', username: 'ada', nickname: 'Ada Lovelace' };
const adaState = (state: 'matched' | 'known') => ({ id: 'ada', member_id: 3, username: 'ada', state });

/** Worked examples of the operations that store exports. They answer on the server's machine only. */
export const importExamples: Examples<ImportApi> = {
  'imports.find': () => ({
    input: { source, people: [ada], rooms: ['ops/town-square'], messages: ['7f83b1657ff1fc53b92dc181'] },
    answer: {
      people: [adaState('matched')],
      rooms: [{ id: 'ops/town-square', session_id: null, state: 'created' }],
      messages: ['7f83b1657ff1fc53b92dc181'],
    },
  }),
  'imports.write': () => ({
    input: {
      source,
      people: [ada],
      rooms: [
        {
          id: 'ops/town-square',
          kind: 'room',
          title: 'Town Square',
          visibility: 'open',
          created_ms: 1_764_147_600_000,
          members: [{ member_id: 3, owner: true }],
        },
      ],
      messages: [
        {
          id: '7f83b1657ff1fc53b92dc181',
          room_id: 'ops/town-square',
          sender_id: 3,
          content: 'Good morning',
          created_ms: 1_764_147_600_000,
        },
      ],
    },
    answer: {
      people: [adaState('matched')],
      rooms: [{ id: 'ops/town-square', session_id: id('71'), state: 'created' }],
      messages: { created: 1, known: 0, left_out: 0 },
    },
  }),
  'imports.file': () => ({
    answer: {
      id: id('72'),
      name: 'report.txt',
      mime_type: 'text/plain',
      bytes: 22,
      sha256: '27b2286c474814d7cf27bc495e109c9841aa4f4c73d2fa154e062007f1ad4911',
    },
  }),
};
