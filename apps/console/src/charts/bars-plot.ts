import uPlot from 'uplot';
import { dayTicks, stackTops, valueTicks, type Layer } from './stack.js';

/** What a chart shows. */
export interface BarsData {
  /** The label of each bar on the axis. */
  readonly ticks: readonly string[];
  readonly layers: readonly Layer[];
}

interface BarsPlotSettings extends BarsData {
  readonly width: number;
  readonly height: number;
  /** Called with the bar under the pointer, and null when there is none. */
  readonly onPoint: (index: number | null) => void;
}

const TICK_WIDTH_PX = 64;
const FONT = "11px 'Inter Variable', system-ui, sans-serif";
const MAX_BAR_PX = 40;

/** Stacked bars of uPlot, drawn from the tallest layer to the lowest, in the colours that hold for `element` now. */
export function plotBars(element: HTMLElement, settings: BarsPlotSettings): uPlot {
  const { width, height, onPoint, ...data } = settings;
  const css = getComputedStyle(element);
  const colorOf = (variable: string) => css.getPropertyValue(variable).trim();
  return new uPlot(
    {
      width,
      height,
      legend: { show: false },
      padding: [8, 20, 0, 0],
      cursor: cursorOf(),
      scales: { x: { time: false, range: () => [-0.5, data.ticks.length - 0.5] }, y: { range: valueRange } },
      axes: axesOf(data, colorOf),
      series: [{}, ...seriesOf(data.layers, colorOf)],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)], setSize: [setBand] },
    },
    valuesOf(data),
    element,
  );
}

/** The values as uPlot wants them: the tallest layer first, so that the lower ones are drawn over it. Nothing is drawn for 0. */
export function valuesOf({ ticks, layers }: BarsData): uPlot.AlignedData {
  const tops = stackTops(layers).map((top) => top.map((value) => value || null));
  return [ticks.map((_, i) => i), ...tops.reverse()];
}

const valueRange = (_: uPlot, __: number, max: number): [number, number] => [
  0,
  valueTicks(Number.isFinite(max) ? max : 0).at(-1) ?? 1,
];

/** The line of the cursor stands in the middle of a bar; CSS makes it as wide as the bar. */
function cursorOf(): uPlot.Cursor {
  return {
    y: false,
    points: { show: false },
    drag: { x: false, y: false, setScale: false },
    move: (plot, left, top) => [left < 0 ? left : plot.valToPos(plot.posToIdx(left), 'x'), top],
  };
}

function setBand(plot: uPlot): void {
  const days = plot.data[0].length;
  plot.root.style.setProperty('--band', `${Math.max(2, plot.over.clientWidth / Math.max(1, days))}px`);
}

function axesOf(data: BarsData, colorOf: (variable: string) => string): uPlot.Axis[] {
  const shared: uPlot.Axis = {
    stroke: colorOf('--mantine-color-dimmed'),
    font: FONT,
    ticks: { show: false },
    gap: 6,
  };
  const line = colorOf('--console-border');
  return [
    {
      ...shared,
      size: 24,
      grid: { show: false },
      border: { show: true, stroke: line, width: 1 },
      splits: (plot) => dayTicks(data.ticks.length, Math.max(2, Math.floor(plot.width / TICK_WIDTH_PX))),
      values: (_, splits) => splits.map((index) => data.ticks[index] ?? ''),
    },
    {
      ...shared,
      size: 48,
      grid: { stroke: line, width: 1 },
      splits: (plot) => valueTicks(plot.scales.y?.max ?? 1),
      values: (_, splits) => splits.map((value) => value.toLocaleString('en-US')),
    },
  ];
}

function seriesOf(layers: readonly Layer[], colorOf: (variable: string) => string): uPlot.Series[] {
  const paths = uPlot.paths.bars?.({ size: [0.72, MAX_BAR_PX, 1] });
  const body = colorOf('--mantine-color-body');
  return layers.toReversed().map(({ label, color }) => ({
    label,
    fill: colorOf(color),
    // A thin line of the background parts the layers also for those who cannot tell their colours.
    stroke: body,
    width: 0.5,
    points: { show: false },
    ...(paths && { paths }),
  }));
}
