import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { MonitorCheck, MonitorRecord } from '@capture-service/client';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/client.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { time } from '../../ui/format.js';
import compare from '../captures/compare/compare.module.css';
import { Sliding } from '../captures/compare/sliding.js';
import { checkText, outcomeText, percentText, pictureOf } from './check-text.js';
import classes from './monitors.module.css';

interface CheckProps {
  readonly check: MonitorCheck;
  readonly monitor: MonitorRecord;
}

/** One check: what it found, in words and in pictures. */
export function CheckView({ check, monitor }: CheckProps) {
  const captureId = check.capture_ids.at(-1);
  const found = checkText(check);
  return (
    <Stack gap="sm" role="group" aria-label="The chosen check">
      <Group gap="xs">
        <StatusBadge status={outcomeText(check)} />
        <Text className="numeric">{time(check.due_at)}</Text>
        {captureId !== undefined && (
          <Anchor component={Link} href={`/captures/${captureId}`}>
            Show the capture
          </Anchor>
        )}
      </Group>
      {found !== '' && <Text className="breaks">{found}</Text>}
      {check.outcome === 'changed' && <Lines check={check} />}
      <Pictures check={check} monitor={monitor} />
    </Stack>
  );
}

/** The lines of text that changed. */
function Lines({ check: { change } }: { readonly check: MonitorCheck }) {
  if (!change || change.lines.length === 0) return null;
  return (
    <div>
      {change.lines.map(({ before, after }, i) => (
        <div key={i}>
          {before !== null && <div className={classes.removed}>− {before}</div>}
          {after !== null && <div className={classes.added}>+ {after}</div>}
        </div>
      ))}
    </div>
  );
}

function Pictures({ check, monitor }: CheckProps) {
  const { urlOf } = useApi();
  const captureId = pictureOf(check, monitor);
  if (captureId === undefined) return null;
  if (check.outcome === 'changed' && check.files) return <BeforeAfter check={check} files={check.files} />;
  return (
    <div className={compare.view} tabIndex={0} role="group" aria-label="The page at this check">
      <img src={urlOf(`/v1/captures/${captureId}/result`)} alt="The page at this check" />
    </div>
  );
}

type Mode = 'slider' | 'marked';

const MODES = [
  { value: 'slider', label: 'Before and after' },
  { value: 'marked', label: 'What changed' },
];

interface BeforeAfterProps {
  readonly check: MonitorCheck;
  readonly files: NonNullable<MonitorCheck['files']>;
}

function BeforeAfter({ check, files }: BeforeAfterProps) {
  const [mode, setMode] = useState<Mode>('slider');
  const { urlOf } = useApi();
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          aria-label="Kind of comparison"
          data={MODES}
          value={mode}
          onChange={(value) => setMode(value as Mode)}
        />
        {check.change?.ratio !== null && <Text c="dimmed">{percentText(check.change?.ratio ?? 0)}</Text>}
      </Group>
      {mode === 'slider' ? (
        <Sliding
          label="The page before over the page after"
          sliderLabel="Part of the page before that is shown, in percent"
          className={classes.fitted}
          over={<img src={urlOf(files.before)} alt="The page before" draggable={false} />}
          under={<img src={urlOf(files.after)} alt="The page after" draggable={false} />}
        />
      ) : (
        <div className={compare.view} tabIndex={0} role="group" aria-label="The page with what changed">
          <img src={urlOf(files.diff)} alt="The page with what changed" />
        </div>
      )}
    </Stack>
  );
}
