import { useComputedColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { plotBars, valuesOf } from './bars-plot.js';
import type { Layer } from './stack.js';
import classes from './stacked-bars.module.css';

interface StackedBarsProps {
  /** What is counted, for screen readers. */
  readonly label: string;
  /** The label of each bar on the axis. */
  readonly ticks: readonly string[];
  readonly layers: readonly Layer[];
  /** The bar that is looked at; null for none. */
  readonly selected: number | null;
  readonly onSelect: (index: number | null) => void;
  /** The values of the bar that is looked at, or of all, in words. */
  readonly valueText: string;
}

const PAGE_BARS = 7;

/**
 * Stacked bars. The pointer and the arrow keys choose a bar, whose values the caller shows beside the chart; screen
 * readers read them as those of a slider.
 */
export function StackedBars({ label, ticks, layers, selected, onSelect, valueText }: StackedBarsProps) {
  const element = useRef<HTMLDivElement>(null);
  const { ref: measure, width, height } = useElementSize<HTMLDivElement>();
  const plot = useBars({ element, ticks, layers, onSelect, width, height });
  const ref = useMergedRef(element, measure);
  const last = ticks.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const target = barOf(event.key, selected, last);
    if (target === undefined) return;
    event.preventDefault();
    const left = target === null ? -10 : (plot.current?.valToPos(target, 'x') ?? -10);
    plot.current?.setCursor({ left, top: target === null ? -10 : 10 });
  };
  return (
    <div
      ref={ref}
      className={classes.chart}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={selected ?? last}
      aria-valuetext={valueText}
      onKeyDown={onKeyDown}
      onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
    />
  );
}

/** The bar that a key leads to; null for none, undefined for another key. */
function barOf(key: string, selected: number | null, last: number): number | null | undefined {
  const from = selected ?? last + 1;
  const within = (bar: number) => Math.min(last, Math.max(0, bar));
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE_BARS,
    PageUp: PAGE_BARS,
  };
  const step = steps[key];
  if (step !== undefined) return within(from + step);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return key === 'Escape' ? null : undefined;
}

interface BarsHook {
  readonly element: { readonly current: HTMLElement | null };
  readonly ticks: readonly string[];
  readonly layers: readonly Layer[];
  readonly onSelect: (index: number | null) => void;
  readonly width: number;
  readonly height: number;
}

/** The plot. It is replaced when the range, the layers or the colours are others; new values and sizes change it. */
function useBars(bars: BarsHook) {
  const { element, ticks, layers, width, height } = bars;
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(bars);
  useLayoutEffect(() => void (latest.current = bars));
  const scheme = useComputedColorScheme();
  const isSized = width > 0;
  const shape = [scheme, ticks[0], ticks.length, ...layers.map(({ label, color }) => label + color)].join(
    '|',
  );
  useEffect(() => {
    if (!element.current || !isSized) return undefined;
    const onPoint = (index: number | null) => latest.current.onSelect(index);
    plot.current = plotBars(element.current, { ...latest.current, onPoint });
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [element, isSized, shape]);
  useEffect(() => plot.current?.setData(valuesOf({ ticks, layers })), [ticks, layers]);
  useEffect(() => {
    if (isSized) plot.current?.setSize({ width, height });
  }, [width, height, isSized]);
  return plot;
}
