import { Section } from '../kit/index.js';
import { Terminal, type TerminalScreen } from '../kit/terminal.js';

/** A terminal whose other end repeats each line. */
export function Shell() {
  return (
    <Section title="Terminal">
      <Terminal label="Terminal of backup-2" height={200} open={repeat} />
    </Section>
  );
}

function repeat(screen: TerminalScreen) {
  const line = (text: string) => {
    screen.print(`\u001b[32m${text}\u001b[0m\r\n`);
    screen.ask('$ ');
  };
  screen.print('Repeats what you type\r\n');
  screen.ask('$ ');
  return { line, close: () => undefined };
}
