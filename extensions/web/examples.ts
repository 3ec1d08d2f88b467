import type { Examples } from '../../kernel/contract/index.js';
import type { WebApi } from './contract.js';

export const examples: Examples<WebApi> = {
  'web.start': () => ({
    answer: {
      me: { id: 7, username: 'ada', nickname: 'Ada', role: 'member', scopes: ['read', 'chat', 'admin'] },
      settings: { language: 'en', zone: 'Europe/Berlin', theme: null },
      generation: 12,
      shell: '/assets/web/main-7Q2M4XKD.js',
      pages: [
        {
          extension: 'chat',
          version: '0.1.0',
          module: '/assets/chat/page-K3J5H2LA.js',
          style: '/assets/chat/style-PX6TR4QB.css',
          entries: [{ path: '/chat', title: { en: 'Chat', 'zh-CN': '聊天' }, icon: 'message', order: 20, for: 'member', group: 'work' }],
        },
      ],
      panels: [],
      operations: { 'members.seats': { method: 'GET', path: '/api/members/seats', kind: 'call' } },
    },
  }),
};
