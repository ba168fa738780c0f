import { Alert, Paper } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { PageHeader } from '../../ui/page-header.js';
import { AgainLoader } from './new/again-loader.js';
import { BatchSettings } from './new/batch-settings.js';
import classes from './new/new-batch.module.css';
import { RowsPanel } from './new/rows-panel.js';
import { SourceInput } from './new/source-input.js';
import { useDraft } from './new/use-draft.js';
import { useLeaveWarning } from './new/use-leave-warning.js';
import { useSubmission } from './new/use-submission.js';
import { useVerdict } from './new/use-verdict.js';
import { VerdictPanel } from './new/verdict-panel.js';

export default function NewBatchPage() {
  const editor = useDraft();
  const { draft, change, setSource } = editor;
  const state = useVerdict(draft);
  const submission = useSubmission(draft);
  const [search] = useSearchParams();
  const again = search.get('again');
  const lostFile = useLeaveWarning(submission.isSuccess ? null : draft.source);
  return (
    <>
      <PageHeader
        title="New batch"
        description="Thousands of captures in one request. The rows are checked before anything is stored."
      />
      {again !== null && <AgainLoader key={again} id={again} onSource={setSource} />}
      {lostFile !== undefined && !draft.source && <LostFile name={lostFile} />}
      <div className={classes.layout}>
        {draft.source ? (
          <RowsPanel key={draft.source.id} source={draft.source} editor={editor} state={state} />
        ) : (
          <SourceInput onSource={setSource} />
        )}
        <Paper withBorder p="md" className={classes.side} component="section" aria-label="Settings">
          {draft.source && (
            <Paper pb="md" mb="md" radius={0} style={{ borderBottom: '1px solid var(--console-border)' }}>
              <VerdictPanel
                state={state}
                isSubmitting={submission.isPending}
                failure={submission.error}
                onSubmit={submission.submit}
              />
            </Paper>
          )}
          <BatchSettings draft={draft} change={change} />
        </Paper>
      </div>
    </>
  );
}

/** A browser gives a page no file again that was chosen before a reload. */
function LostFile({ name }: { readonly name: string }) {
  return (
    <Alert color="yellow" mb="md" role="status" className="breaks">
      The page was reloaded, so the rows of <bdi>{name}</bdi> have to be chosen again. Nothing was submitted.
    </Alert>
  );
}
