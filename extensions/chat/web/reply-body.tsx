import { Icon, useFormat, useMember, useTexts } from '@platform/kit';
import { Markdown } from '@platform/kit/markdown';
import { Fragment, memo, type ReactNode, useState, useSyncExternalStore } from 'react';
import type { Message } from '../contract.js';
import { useLiveReply } from './conversation-context.js';
import type { GrowingText, OpenBlock } from './growing-text.js';
import { groupsOf, type LiveReply, type Part, type ThoughtPart, toolsOf } from './live-reply.js';
import { texts } from './texts.js';
import { ToolCard } from './tool-card.js';

/** Shows a reply: as it is written, or as it was stored. */
export function ReplyBody({ message }: { message: Message }) {
  const live = useLiveReply(message.id);
  if (live) return <LiveBody live={live} message={message} />;
  return (
    <>
      <Parts parts={toolsOf(message)} version={0} isOver={message.status !== 'streaming'} />
      <Whole text={message.content} />
      {message.status === 'streaming' && message.content === '' && <Writing member_id={message.sender_id} />}
    </>
  );
}

/** Markdown that doesn't change any more. */
const Whole = memo(function Whole({ text }: { text: string }) {
  return text === '' ? null : <Markdown text={text} />;
});

function LiveBody({ live, message }: { live: LiveReply; message: Message }) {
  const version = useSyncExternalStore(live.subscribe, live.version);
  const text = useTexts(texts);
  const { parts, waits, isOver } = live;
  const last = parts.at(-1);
  const isQuiet = !isOver && (last === undefined || (last.kind === 'tool' && last.ended_at !== undefined));
  return (
    <>
      <Parts parts={parts} version={version} isOver={isOver} />
      {waits && <p className="chat-waits">{text.reply.waitsForNode(waits.reason)}</p>}
      {isQuiet && !waits && <Writing member_id={message.sender_id} />}
    </>
  );
}

interface PartsProps {
  parts: readonly Part[];
  version: number;
  isOver: boolean;
}

/** Shows the parts; many finished steps one after the other are one line that unfolds. */
function Parts({ parts, version, isOver }: PartsProps) {
  const last = parts.at(-1);
  const view = (part: Part) => (
    <PartView
      key={part.key}
      part={part}
      isLast={part === last}
      version={part === last || part.kind === 'tool' ? version : 0}
      isOver={isOver}
    />
  );
  return groupsOf(parts).map((group) => {
    const [first] = group;
    if (group.length === 1 || first === undefined) return group.map(view);
    return (
      <Steps key={`steps ${first.key}`} count={group.length}>
        {() => group.map(view)}
      </Steps>
    );
  });
}

function Steps({ count, children }: { count: number; children: () => ReactNode }) {
  const text = useTexts(texts);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="chat-steps">
      <button type="button" className="chat-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        {text.reply.steps(count)}
      </button>
      {isOpen && <div className="chat-steps-all">{children()}</div>}
    </div>
  );
}

interface PartProps {
  part: Part;
  isLast: boolean;
  /** Rises while the part may change, which is the same object. */
  version: number;
  isOver: boolean;
}

const PartView = memo(function PartView({ part, isLast, isOver }: PartProps) {
  if (part.kind === 'tool') return <ToolCard tool={part} isOver={isOver} />;
  if (part.kind === 'thought') return <Thought part={part} isOver={isOver} />;
  return isOver ? <Whole text={part.whole} /> : <Growing text={part.text} isLast={isLast} />;
});

function Growing({ text, isLast }: { text: GrowingText; isLast: boolean }) {
  const { blocks, open } = text;
  const starts = Array.from({ length: Math.ceil(blocks.length / group_length) }, (_, group) => group * group_length);
  return (
    <div className="chat-growing">
      {starts.map((start) => (
        <Blocks key={start} text={text} start={start} end={Math.min(start + group_length, blocks.length)} />
      ))}
      <Open block={open} isLast={isLast} />
    </div>
  );
}

/** Finished blocks that are compared as one, so that a frame of a long reply costs as little as one of a short reply. */
const group_length = 32;

const Blocks = memo(function Blocks({ text, start, end }: { text: GrowingText; start: number; end: number }) {
  return text.blocks.slice(start, end).map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
    <Whole key={index} text={block} />
  ));
});

function Open({ block, isLast }: { block: OpenBlock; isLast: boolean }) {
  if (block.kind === 'text') return block.text === '' ? null : <Markdown text={block.text} streaming={isLast} />;
  return (
    <pre className="chat-code">
      <code>
        {block.chunks.map((chunk, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: chunks are only added at the end
          <Fragment key={index}>{chunk}</Fragment>
        ))}
        {block.text}
      </code>
    </pre>
  );
}

function Thought({ part, isOver }: { part: ThoughtPart; isOver: boolean }) {
  const text = useTexts(texts);
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const isThinking = part.ended_at === undefined && !isOver;
  const took = part.ended_at === undefined ? undefined : format.duration(wholeSeconds(part.ended_at - part.started_at));
  return (
    <div className="chat-thought">
      <button type="button" className="chat-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        {isThinking ? <span className="chat-pulse">{text.reply.thinking}</span> : text.reply.thought(took)}
      </button>
      {isOpen && <div className="chat-thought-text">{part.text}</div>}
    </div>
  );
}

function Writing({ member_id }: { member_id: number | null }) {
  const text = useTexts(texts);
  const member = useMember(member_id ?? undefined);
  return (
    <p className="chat-writing">
      <span className="chat-pulse">{text.reply.working(member?.nickname ?? '')}</span>
    </p>
  );
}

/** Rounds a duration to seconds, because nobody cares for parts of them. */
function wholeSeconds(ms: number): number {
  return Math.max(1_000, Math.round(ms / 1_000) * 1_000);
}
