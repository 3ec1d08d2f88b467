import { Code, Icon, jsonText, revealed, useFormat, useTexts, withoutSequences } from '@platform/kit';
import { memo, useEffect, useState } from 'react';
import { ApprovalCard } from './approval-card.js';
import { useApprovalOf } from './conversation-context.js';
import type { ToolPart } from './live-reply.js';
import { texts } from './texts.js';

const max_preview = 160;
const last_lines = 6;

interface ToolCardProps {
  tool: ToolPart;
  /** Whether the reply has ended: a tool that hasn't was stopped with it. */
  isOver: boolean;
}

/** Shows the use of a tool: its input, what it prints, how long it took and how it ended; and the decision that it waits for. */
export const ToolCard = memo(function ToolCard({ tool, isOver }: ToolCardProps) {
  const text = useTexts(texts);
  const approval = useApprovalOf(tool.id);
  const [chosen, setChosen] = useState<boolean>();
  const state = stateOf(tool, { isOver, waits: approval !== undefined });
  const isOpen = chosen ?? state === 'failed';
  return (
    <section className="chat-tool" data-state={state} aria-label={text.tool.label(tool.name)}>
      <button type="button" className="chat-tool-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <Icon name={icons[state]} />
        <bdi className="chat-tool-name">{revealed(tool.name)}</bdi>
        <span className="chat-tool-input">{isOpen ? '' : preview(tool.input)}</span>
        <span className="chat-tool-state">{text.tool.states[state]}</span>
        <Took tool={tool} isRunning={state === 'running'} />
        <Icon name={isOpen ? 'down' : 'right'} />
      </button>
      {isOpen ? (
        <Details tool={tool} />
      ) : (
        state === 'running' && tool.output !== '' && <pre className="chat-tool-tail">{revealed(withoutSequences(tailOf(tool.output)))}</pre>
      )}
      {tool.error !== null && <p className="chat-tool-error">{revealed(tool.error)}</p>}
      {approval && <ApprovalCard approval={approval} />}
    </section>
  );
});

function Details({ tool }: { tool: ToolPart }) {
  const text = useTexts(texts);
  const format = useFormat();
  const hasInput = tool.input !== null && tool.input !== undefined && !isEmpty(tool.input);
  return (
    <div className="chat-tool-details">
      {hasInput && (
        <>
          <h2>{text.tool.input}</h2>
          <Code text={jsonText(tool.input)} />
        </>
      )}
      {tool.input === null && <p className="chat-quiet">{text.tool.hiddenInput}</p>}
      {tool.output !== '' && (
        <>
          <h2>{text.tool.output}</h2>
          {tool.omitted > 0 && <p className="chat-quiet">{text.tool.omitted(format.number(tool.omitted))}</p>}
          <Code text={jsonText(parsed(withoutSequences(tool.output)))} />
        </>
      )}
      {tool.output === '' && tool.ended_at !== undefined && tool.error === null && <p className="chat-quiet">{text.tool.noOutput}</p>}
    </div>
  );
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input) && Object.keys(input).length === 0;
}

/** Shows how long a tool runs; counts while it does. */
function Took({ tool, isRunning }: { tool: ToolPart; isRunning: boolean }) {
  const format = useFormat();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const took = (tool.ended_at ?? now) - tool.started_at;
  if (tool.ended_at === undefined && (!isRunning || took < 1_000)) return null;
  return <span className="chat-tool-took">{format.duration(Math.max(0, isRunning ? Math.floor(took / 1_000) * 1_000 : took))}</span>;
}

type ToolState = 'running' | 'waiting' | 'done' | 'failed' | 'stopped';

const icons = { running: 'tool', waiting: 'shield', done: 'check', failed: 'error', stopped: 'stop' } as const;

function stateOf({ ended_at, error, input }: ToolPart, { isOver, waits }: { isOver: boolean; waits: boolean }): ToolState {
  if (error !== null) return 'failed';
  if (ended_at !== undefined) return 'done';
  if (isOver) return 'stopped';
  // In a room others see the input only once the tool runs.
  return waits || input === null ? 'waiting' : 'running';
}

/** Returns an input on one line. */
function preview(input: unknown): string {
  if (input === null || input === undefined) return '';
  const entries = typeof input === 'object' && !Array.isArray(input) ? Object.entries(input) : [];
  const line =
    entries.length === 1 && typeof entries[0]?.[1] === 'string'
      ? entries[0][1]
      : typeof input === 'string'
        ? input
        : entries.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : jsonText(value)}`).join(', ');
  return revealed(line.slice(0, max_preview).replace(/\s+/g, ' '));
}

const max_parsed = 20_000;

function parsed(output: string): unknown {
  if (output.length > max_parsed || !/^\s*[[{]/.test(output)) return output;
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

function tailOf(output: string): string {
  return output.trimEnd().split('\n').slice(-last_lines).join('\n');
}
