import type { Operations } from '../../kernel/contract/index.js';
import type { WebApi } from './contract.js';

export const operations: Operations<WebApi> = {
  'web.start': {
    summary: 'Shows what the web app needs to start: you, your settings, the pages and the operations that you may use.',
    method: 'GET',
    path: '/api/web/start',
    who: 'member',
    audience: 'caller',
    answer: (j) =>
      j.object({
        me: j
          .object({
            id: j.number().integer().required(),
            username: j.string().required(),
            nickname: j.string().allow('').required(),
            role: j.string().valid('admin', 'member').required(),
            scopes: j.array().items(j.string()).required(),
          })
          .required(),
        settings: j
          .object({
            language: j.string().allow(null).required(),
            zone: j.string().allow(null).required(),
            theme: j.string().allow(null).required(),
          })
          .required(),
        generation: j.number().integer().required().description('Changes with each change of what is loaded'),
        shell: j.string().required().description('Address of the module that starts the web app'),
        pages: j
          .array()
          .items(
            j.object({
              extension: j.string().required(),
              version: j.string().required(),
              module: j.string().required(),
              style: j.string().allow(null).required(),
              entries: j.array().items(j.object().unknown()).required().description('Entries of the navigation that you see'),
            }),
          )
          .required(),
        panels: j.array().items(j.object().unknown()).required().description("Plugins' pages"),
        operations: j.object().unknown().required().description('Method, path and kind of each operation, by its id'),
      }),
  },
};
