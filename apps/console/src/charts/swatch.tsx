import classes from './stacked-bars.module.css';

/** The colour of a layer; `color` is a CSS variable. */
export function Swatch({ color }: { readonly color: string }) {
  return <span className={classes.swatch} style={{ background: `var(${color})` }} aria-hidden />;
}
