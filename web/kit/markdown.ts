/** Markdown of messages, and code in colour. */
export { CodeBlock, type CodeBlockProps } from './markdown/code-block.js';
export { Markdown, type MarkdownProps } from './markdown/markdown.js';
