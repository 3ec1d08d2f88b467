import { type ComponentProps, memo, type ReactNode, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { revealed } from '../components/hidden-characters.js';
import { scrollable } from '../components/scrollable.js';
import { useWords } from '../components/words.js';
import { Go, isOwnPath, linkAddress } from '../data/index.js';
import { blocksOf } from './blocks.js';
import { isModest, remarkBounds } from './bounds.js';
import { CodeBlock } from './code-block.js';
import { rehypeWithoutIds } from './ids.js';
import { remarkMentions } from './mentions.js';

export interface MarkdownProps {
  text: string;
  /** Whether more text is coming: the last block then shows that it is being written. */
  streaming?: boolean | undefined;
  /** Called before a link is followed; `false` keeps it from being followed. */
  onLink?: ((address: string) => boolean | undefined) | undefined;
  /** Names that are shown as mentions where the text has `@name`: usernames, `room`. `me` among them stands out. */
  mentions?: { readonly names: readonly string[]; readonly me?: string | undefined } | undefined;
}

/**
 * Shows Markdown (CommonMark and GitHub's extensions). HTML in it stays text, images are shown as links, and links lead only to http(s),
 * mailto and the app's own pages. It is rendered by blocks, so that a growing text costs no more than its last block. A block that would cost too
 * much, however it came to be so, is shown as plain text.
 */
export function Markdown({ text, streaming, onLink, mentions }: MarkdownProps) {
  // A text grows at its end, so a block is what its place says.
  const blocks = useMemo(() => blocksOf(text).map((block, place) => ({ place, text: block })), [text]);
  const names = mentions?.names.join(' ') ?? '';
  const components = useComponents(onLink);
  return (
    <div className={streaming ? 'kit-markdown kit-markdown-streaming' : 'kit-markdown'}>
      {blocks.map((block) => (
        <Block
          key={block.place}
          text={block.text}
          isGrowing={streaming === true && block.place === blocks.length - 1}
          components={components}
          names={names}
          me={mentions?.me}
        />
      ))}
    </div>
  );
}

interface BlockProps {
  text: string;
  /** Whether it is parsed anew for each piece that comes. */
  isGrowing: boolean;
  components: Components;
  /** Separated by spaces, so that equal names are the same value. */
  names: string;
  me: string | undefined;
}

const Block = memo(function Block({ text, isGrowing, components, names, me }: BlockProps) {
  return useMemo(() => {
    if (!isModest(text, isGrowing)) return <Plain text={text} />;
    const plugins = [
      [remarkGfm, { singleTilde: false }],
      remarkBounds,
      ...(names === '' ? [] : [[remarkMentions, { names: names.split(' '), me }]]),
    ];
    try {
      // A plain function: called here, so that what it throws is caught.
      return ReactMarkdown({
        children: text,
        remarkPlugins: plugins as ComponentProps<typeof ReactMarkdown>['remarkPlugins'],
        rehypePlugins: [rehypeWithoutIds],
        components,
        urlTransform: linkAddress,
        skipHtml: false,
      });
    } catch {
      return <Plain text={text} />;
    }
  }, [text, isGrowing, components, names, me]);
});

/** Shows a text as it was written. */
function Plain({ text }: { text: string }) {
  return <p className="kit-markdown-plain">{text}</p>;
}

function useComponents(onLink: MarkdownProps['onLink']): Components {
  const words = useWords();
  return useMemo(
    () => ({
      a: ({ href = '', children }) => link(href, children, onLink),
      img: ({ src, alt }) => link(typeof src === 'string' ? src : '', words.image(alt || String(src)), onLink),
      pre: ({ children }) => children,
      code: ({ className, children }) => code(className, children),
      table: ({ children }) => (
        <div ref={scrollable} className="kit-markdown-table">
          <table>{children}</table>
        </div>
      ),
      input: ({ checked }) => <input type="checkbox" checked={checked === true} readOnly disabled aria-label={checked ? '✓' : '–'} />,
    }),
    [onLink, words],
  );
}

function link(address: string, children: ReactNode, onLink: MarkdownProps['onLink']) {
  if (address === '') return <span>{children}</span>;
  const onClick = (event: React.MouseEvent) => {
    if (onLink?.(address) === false) event.preventDefault();
  };
  if (isOwnPath(address)) {
    return (
      <Go to={address} onClick={onClick}>
        {children}
      </Go>
    );
  }
  return (
    <a href={address} target="_blank" rel="noreferrer" onClick={onClick}>
      {children}
    </a>
  );
}

/** A block of code ends in a line end, code within a line has none. */
function code(className: string | undefined, children: ReactNode) {
  const text = String(children ?? '');
  if (className === undefined && !text.includes('\n')) return <code className="kit-code-inline">{revealed(text)}</code>;
  return <CodeBlock text={text.replace(/\n$/, '')} language={className?.replace(/^language-/, '')} />;
}
