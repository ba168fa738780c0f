import { Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { hasEnded, type BatchRecord } from '@capture-service/client';
import { useEffect, useRef, useState } from 'react';
import { count, duration } from '../../../ui/format.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { useNow } from '../../../ui/use-now.js';
import { BatchBar } from '../batch-bar.js';
import { endedRows } from '../batch-counts.js';
import classes from './batch.module.css';
import { elapsedMs, rowsPerMinute, withSample, type Sample } from './pace.js';

/** How often times and the pace are renewed. */
const RENEWED_MS = 1_000;
/** Progress is announced in steps of this many percent, so that a screen reader is not kept talking. */
const ANNOUNCED_PERCENT = 10;

/** How far the batch is: its bar, pace, time and what is left. */
export function BatchFacts({ batch }: { readonly batch: BatchRecord }) {
  const now = useNow(RENEWED_MS);
  const pace = usePace(batch);
  const elapsed = elapsedMs(batch, now);
  const ended = endedRows(batch);
  const isOver = hasEnded(batch);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Group gap="sm">
            <StatusBadge status={batch.status} />
            <Text className="numeric" fw={600}>
              {count(ended)} of {count(batch.total)} rows have ended
            </Text>
          </Group>
          <Text className="numeric" c="dimmed">
            {percentOf(batch)}%
          </Text>
        </Group>
        <BatchBar batch={batch} size={8} />
        <dl className={classes.facts}>
          <Fact name={isOver ? 'Average pace' : 'Pace'} value={paceText(isOver ? average(batch) : pace)} />
          <Fact name="Elapsed" value={elapsed === null ? '–' : duration(elapsed)} />
          <Fact name="Left" value={leftText(batch)} />
          <Fact name="Not valid" value={count(batch.rejected)} />
        </dl>
        <VisuallyHidden role="status" aria-live="polite">
          {announcement(batch)}
        </VisuallyHidden>
      </Stack>
    </Paper>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numeric">{value}</dd>
    </div>
  );
}

/** 100 only at the end. */
function percentOf(batch: BatchRecord): number {
  return Math.floor((100 * endedRows(batch)) / Math.max(1, batch.total));
}

function announcement(batch: BatchRecord): string {
  if (hasEnded(batch)) {
    const { succeeded, failed, canceled } = batch.counts;
    return `The batch is ${batch.status}: ${succeeded} succeeded, ${failed} failed, ${canceled} canceled.`;
  }
  const step = Math.floor(percentOf(batch) / ANNOUNCED_PERCENT) * ANNOUNCED_PERCENT;
  return `${step}% of the rows have ended.`;
}

function paceText(pace: number | null): string {
  if (pace === null) return '–';
  return `${pace < 10 ? pace.toFixed(1) : count(Math.round(pace))} rows/min`;
}

/** Counts the rows that were captured, from the first start to the end. */
function average(batch: BatchRecord): number | null {
  const ms = elapsedMs(batch, 0);
  return ms === null || ms === 0 ? null : ((endedRows(batch) - batch.rejected) * 60_000) / ms;
}

function leftText(batch: BatchRecord): string {
  if (hasEnded(batch)) return 'nothing';
  return batch.eta_s === null ? 'not known yet' : `about ${duration(batch.eta_s * 1_000)}`;
}

const SAMPLED_MS = 1_000;

/** Rows per minute, as far as this page has seen them end; null while that cannot be said. */
function usePace(batch: BatchRecord): number | null {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const ended = useRef(0);
  useEffect(() => {
    ended.current = endedRows(batch);
  }, [batch]);
  useEffect(() => {
    // Also while nothing ends, so that the pace of a batch that is stuck falls to 0.
    const timer = setInterval(() => {
      setSamples((old) => withSample(old, { atMs: Date.now(), ended: ended.current }));
    }, SAMPLED_MS);
    return () => clearInterval(timer);
  }, []);
  return rowsPerMinute(samples);
}
