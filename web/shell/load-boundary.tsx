import { Component, type ReactNode } from 'react';
import { textsOf } from '../kit/data/texts.js';
import { logInTexts } from './texts/log-in.js';

/** Offers to reload if the app itself can't be loaded or drawn. */
export class LoadBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    const text = textsOf(logInTexts);
    return (
      <main className="shell-center" role="alert">
        <h1>{text.broken}</h1>
        <button type="button" className="shell-button" onClick={() => location.reload()}>
          {text.reload}
        </button>
      </main>
    );
  }
}
