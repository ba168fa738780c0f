import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { BatchVerdict } from '@capture-service/client';
import { CheckCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { count } from '../../../ui/format.js';
import { costText } from './faults.js';
import classes from './new-batch.module.css';
import type { VerdictState } from './use-verdict.js';

interface VerdictPanelProps {
  readonly state: VerdictState;
  readonly isSubmitting: boolean;
  readonly failure: unknown;
  readonly onSubmit: () => void;
}

/** What the API would do with the batch, and the button that submits it. */
export function VerdictPanel({ state, isSubmitting, failure, onSubmit }: VerdictPanelProps) {
  const { verdict, error, isChecking } = state;
  const rows = verdict ? verdict.valid : 0;
  const isReady = verdict?.would_accept === true && !isChecking && error === null;
  return (
    <Stack gap="sm">
      <div role="status" aria-live="polite">
        {isChecking ? (
          <Group gap="xs" className={classes.verdict}>
            <Loader size={14} aria-hidden />
            <Text>Checking the rows…</Text>
          </Group>
        ) : (
          verdict && error === null && <VerdictText verdict={verdict} />
        )}
      </div>
      {error !== null && <ProblemAlert error={error} title="The batch would be refused" />}
      {failure !== null && <ProblemAlert error={failure} title="The batch was not accepted" />}
      <Button onClick={onSubmit} disabled={!isReady} loading={isSubmitting} size="sm" fullWidth>
        {isReady ? `Submit ${count(rows)} ${rows === 1 ? 'row' : 'rows'}` : 'Submit'}
      </Button>
    </Stack>
  );
}

function VerdictText({ verdict }: { readonly verdict: BatchVerdict }) {
  const { rejected, allowance, would_accept: isAccepted } = verdict;
  return (
    <Stack gap={4} className={classes.verdict}>
      <Group gap={6} wrap="nowrap">
        {isAccepted ? (
          <CheckCircledIcon className={classes.good} aria-hidden />
        ) : (
          <ExclamationTriangleIcon className={classes.bad} aria-hidden />
        )}
        <Text fw={600} className="numeric">
          {validText(verdict)}
        </Text>
      </Group>
      {rejected > 0 && (
        <Text className="numeric">
          {count(rejected)} {rejected === 1 ? 'row is' : 'rows are'} not valid
          {isAccepted ? ', and will be skipped.' : '. Correct them, or skip them below.'}
        </Text>
      )}
      <Text c="dimmed" className="numeric">
        {costText(verdict)}
      </Text>
      {allowance.needed > allowance.available && (
        <Text className={classes.bad}>Too few units are left for this batch.</Text>
      )}
    </Stack>
  );
}

function validText({ valid, rejected, total }: BatchVerdict): string {
  if (rejected > 0) return `${count(valid)} of ${count(total)} rows are valid`;
  return total === 1 ? 'The row is valid' : `All ${count(total)} rows are valid`;
}
