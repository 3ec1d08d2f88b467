import { Component, type ReactNode } from 'react';
import { textsOf } from '../kit/data/texts.js';
import { Button, LinkButton } from '../kit/index.js';
import { Message } from './message.js';
import { shellTexts } from './texts/index.js';

interface Props {
  /** The page gets another chance when this changes. */
  resetAt: string;
  children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly at: string;
}

/** Keeps the fault of a page within the page, and offers a way on. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, at: this.props.resetAt };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error('Unknown') };
  }

  static getDerivedStateFromProps({ resetAt }: Props, { at }: State): Partial<State> | null {
    return resetAt === at ? null : { error: undefined, at: resetAt };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const text = textsOf(shellTexts);
    return (
      <Message
        icon="warning"
        title={text.pageBroken}
        text={
          <>
            {text.pageBrokenText}
            <br />
            <code>{error instanceof Error ? error.message : String(error)}</code>
          </>
        }
        action={
          <div className="kit-actions">
            <Button onClick={() => this.setState({ error: undefined })}>{text.again}</Button>
            <LinkButton to="/">{text.toHome}</LinkButton>
          </div>
        }
      />
    );
  }
}
