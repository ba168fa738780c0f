import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly label: string;
  /** A fact without a value is left out. */
  readonly value: ReactNode;
}

/** What is known, as a list of names and values. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const known = facts.filter(({ value }) => value !== null && value !== undefined && value !== '');
  return (
    <dl className={classes.facts}>
      {known.map(({ label, value }) => (
        <div key={label} className={classes.fact}>
          <dt>{label}</dt>
          <dd className="breaks">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
