import { type ReactNode, useId } from 'react';
import { Go, usePageTitle } from '../data/index.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { scrollable } from './scrollable.js';
import { useWords } from './words.js';

export interface PageProps {
  title: ReactNode;
  /** A line below the title. */
  text?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  /** Path of the page above this one. */
  back?: string | undefined;
  /** Whether the content is read rather than scanned: it gets the width of a text. */
  narrow?: boolean | undefined;
  children?: ReactNode;
}

/** Shows a page with its heading; the content scrolls, the heading stays. */
export function Page({ title, text, actions, back, narrow, children }: PageProps) {
  usePageTitle(typeof title === 'string' ? title : '');
  return (
    <div className="kit-page">
      <header className="kit-page-head">
        {back !== undefined && <Back to={back} />}
        <div className="kit-page-title">
          <h1>{title}</h1>
          {text !== undefined && <p>{text}</p>}
        </div>
        {actions !== undefined && <div className="kit-actions">{actions}</div>}
      </header>
      <div ref={scrollable} className="kit-page-body">
        <div className={classes('kit-page-content', narrow && 'kit-page-narrow')}>{children}</div>
      </div>
    </div>
  );
}

function Back({ to }: { to: string }) {
  const { back } = useWords();
  return (
    <Go to={to} className="kit-button kit-button-quiet kit-button-icon" aria-label={back}>
      <Icon name="back" />
    </Go>
  );
}

export interface SectionProps {
  title: ReactNode;
  /** A sentence below the title. */
  text?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** Groups what belongs together on a page, under a heading. */
export function Section({ title, text, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className="kit-section" aria-labelledby={id}>
      <div className="kit-section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {text !== undefined && <p>{text}</p>}
        </div>
        {actions !== undefined && <div className="kit-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export interface CardProps {
  /** Whether it has no room inside, for a list or a table that reaches the edges. */
  isFlush?: boolean | undefined;
  children: ReactNode;
}

/** Frames one thing. Cards never lie within cards. */
export function Card({ isFlush, children }: CardProps) {
  return <div className={classes('kit-card', isFlush && 'kit-card-flush')}>{children}</div>;
}

export interface FactsProps {
  /** Rows whose value is undefined or null are left out. */
  items: readonly (readonly [label: string, value: ReactNode])[];
}

/** Shows labels and values in two columns. */
export function Facts({ items }: FactsProps) {
  return (
    <dl className="kit-facts">
      {items
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([label, value]) => (
          <div key={label} className="kit-fact">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
