import { EventEmitter } from 'node:events';
import { Command } from 'commander';
import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import type { JsonSchema } from '../../kernel/contract/schema.js';

const { commands, operations } = builtinCatalog();

async function helpOf(command: string): Promise<string> {
  let stdout = '';
  const out = Object.assign(new EventEmitter(), { write: (text: string) => (stdout += text) });
  const terminal = { env: {}, stdin: process.stdin, stdout: out, stderr: out } as unknown as Terminal;
  await run(new Command('platform'), [...command.split(' '), '--help'], terminal);
  return stdout;
}

/** Commands whose words already state what they do, so that they don't ask. */
const plain = ['extension approve', 'extension yank', 'node exec', 'notification send', 'notification test', 'notify'];

t.test('deletions and dangerous commands ask for confirmation', async (t) => {
  // A reaction is added again at once.
  const undone = ['reactions.remove'];
  const isGrave = (operation: string) => operations[operation]?.method === 'DELETE' || operations[operation]?.dangerous;
  const grave = commands.filter(({ operation }) => isGrave(operation) && !undone.includes(operation));
  t.ok(grave.length > 10);
  for (const { command } of grave.filter((one) => !plain.includes(one.command))) t.match(await helpOf(command), / --yes /, command);
  for (const { operation } of commands.filter(({ command }) => plain.includes(command))) t.not(operations[operation]?.method, 'DELETE');
});

t.test('a question with a condition names an input and one of its values', async (t) => {
  for (const { operation, command, confirm, confirm_if = {} } of commands)
    for (const [key, value] of Object.entries(confirm_if)) {
      const input = operations[operation]?.input as JsonSchema | undefined;
      t.ok(confirm, `${command} asks`);
      t.ok(input?.properties?.[key]?.enum?.includes(value), `${command}: ${key} can be ${value}`);
    }
});
