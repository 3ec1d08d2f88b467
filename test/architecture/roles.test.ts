import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { sourcesBelow } from './sources.js';

/** Here role and scopes are looked at together, or a member's role is data. */
const allowed = [
  'kernel/contract/authority.ts',
  'kernel/core/invoke/authorise.ts',
  'extensions/members/service.ts',
  'extensions/members/store/members.ts',
  'extensions/members/invitations.ts',
  'extensions/members/panel.tsx',
  'extensions/members/web/invitations.tsx',
  'extensions/members/web/members.tsx',
  'extensions/members/web/people.tsx',
  'extensions/notifications/sources.ts',
];

const comparison = /\brole\b\s*[!=]==?\s*['"]admin['"]|['"]admin['"]\s*[!=]==?\s*[\w.?]*\brole\b/;
const scopes = /\bscopes\??\.includes\(['"]admin['"]\)/;

t.test("roles are compared, and administrators' scopes checked, in one file only", async (t) => {
  const found = sourcesBelow(process.cwd())
    .filter((file) => !allowed.includes(file))
    .filter((file) => {
      const text = readFileSync(join(process.cwd(), file), 'utf8');
      return comparison.test(text) || scopes.test(text);
    });
  t.strictSame(found, [], 'use mayAdminister or hasScope of the contract');
});
