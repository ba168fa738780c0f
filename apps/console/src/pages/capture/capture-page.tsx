import { CaptureError } from '@capture-service/client';
import { Alert, Badge, Button, Group, Tabs, Text } from '@mantine/core';
import { useClipboard, useHotkeys } from '@mantine/hooks';
import { CheckIcon, Link2Icon, ResetIcon } from '@radix-ui/react-icons';
import { useState, type FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { PageHeader } from '../../ui/page-header.js';
import classes from './capture-page.module.css';
import { CodePanel } from './code/code-panel.js';
import { OptionsPanel } from './fields/options-panel.js';
import { faultsByOption, faultsOf, faultsThatHold, firstOf, type Faults } from './form/faults.js';
import { formLink, knownForm, secretsOf } from './form/form-link.js';
import { completeRequest, requestOf, type FormState } from './form/form-state.js';
import { TARGET_NAMES, type Values } from './form/options.js';
import { JsonPanel } from './json/json-panel.js';
import { LinkNotice } from './link-notice.js';
import { ResultPanel } from './run/result-panel.js';
import { useRun, type Run } from './run/use-run.js';
import { StepsContext, type StepsForm } from './steps/steps-context.js';
import { TargetFields } from './target-fields.js';
import { useCaptureForm, type CaptureForm } from './use-capture-form.js';
import { useOptionsView, type OptionsView } from './use-options-view.js';

const NOTHING: Values = {};
/** The id of the panel beside the form. */
const RESULT = 'capture-result';

/** The playground: every option of a capture, its outcome, and the code that does the same. */
export default function CapturePage() {
  const capture = useCaptureForm();
  const run = useRun();
  const view = useOptionsView();
  const [tab, setTab] = useState('result');
  const { form } = capture;
  useOptionsOfJob(capture, run);
  const request = requestOf(form);
  const faults = useFaults(request, run);
  const steps = useSteps(capture, run);
  const submit = submitter({ capture, request, run, view, setTab });
  useHotkeys([['mod+Enter', submit]], [], true);
  return (
    <>
      <PageHeader title="New capture" description="Try any option, and copy the code that does the same.">
        <LinkButton form={form} />
        <ResetButton capture={capture} />
      </PageHeader>
      <div className={classes.page}>
        <form
          className={classes.form}
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            submit();
          }}
        >
          <LinkNotice linked={capture.linked} />
          <TextFault fault={form.textFault} />
          <TargetFields capture={capture} faults={faults} isSubmitting={run.submission.isPending} />
          <StepsContext value={steps}>
            <OptionsPanel values={form.values} faults={faults} view={view} set={capture.set} />
          </StepsContext>
        </form>
        <SidePanel {...{ tab, setTab, capture, request, run }} />
      </div>
    </>
  );
}

function TextFault({ fault }: { readonly fault: string | undefined }) {
  if (fault === undefined) return null;
  return (
    <Alert color="red" role="alert">
      The JSON is not valid, so the form still shows the last valid options: {fault}
    </Alert>
  );
}

function ResetButton({ capture: { form, load } }: { readonly capture: CaptureForm }) {
  return (
    <Button
      variant="default"
      leftSection={<ResetIcon aria-hidden />}
      disabled={Object.keys(form.values).length === 0 && form.textFault === undefined}
      onClick={() => load({ values: NOTHING, missing: [] })}
    >
      Reset
    </Button>
  );
}

interface Submission {
  readonly capture: CaptureForm;
  readonly request: Values;
  readonly run: Run;
  readonly view: OptionsView;
  readonly setTab: (tab: string) => void;
}

/** Starts the capture, or goes to the first fault. */
function submitter({ capture, request, run: { submission }, view, setTab }: Submission): () => void {
  const onError = (error: Error) => {
    const refused = firstOf(serverFaults(error));
    if (refused !== undefined) view.reveal(refused);
  };
  return () => {
    const known = firstOf(faultsOf(request));
    if (capture.form.textFault !== undefined) setTab('json');
    else if (known !== undefined) view.reveal(known);
    else if (!submission.isPending) {
      const complete = completeRequest(request);
      flushSync(() => {
        setTab('result');
        if (complete.url !== request.url) capture.set('url', complete.url);
      });
      bringIntoView(RESULT);
      submission.mutate(complete, { onError });
    }
  };
}

/** Where the result stands below the form, the person should see it. */
function bringIntoView(id: string): void {
  const place = document.getElementById(id);
  if (place && place.getBoundingClientRect().top > innerHeight / 2) place.scrollIntoView({ block: 'start' });
}

interface SidePanelProps {
  readonly tab: string;
  readonly setTab: (tab: string) => void;
  readonly capture: CaptureForm;
  readonly request: Values;
  readonly run: Run;
}

function SidePanel({ tab, setTab, capture, request, run }: SidePanelProps) {
  return (
    <Tabs
      value={tab}
      onChange={(next) => setTab(next ?? 'result')}
      keepMounted={false}
      id={RESULT}
      className={classes.side}
      classNames={{ tab: classes.tab }}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="result">Result</Tabs.Tab>
        <Tabs.Tab value="json" rightSection={<ChangedCount request={request} />}>
          JSON
        </Tabs.Tab>
        <Tabs.Tab value="code">Code</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="result">
        <ResultPanel run={run} />
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <JsonPanel capture={capture} />
      </Tabs.Panel>
      <Tabs.Panel value="code">
        <CodePanel request={request} />
      </Tabs.Panel>
    </Tabs>
  );
}

function ChangedCount({ request }: { readonly request: Values }) {
  const changed = Object.keys(request).filter((name) => !TARGET_NAMES.includes(name)).length;
  return changed === 0 ? null : <Badge aria-label={`${changed} options changed`}>{changed}</Badge>;
}

/** Browsers copy by script only over HTTPS and on this machine; elsewhere the link itself can be copied. */
function LinkButton({ form }: { readonly form: FormState }) {
  const { copy, copied, error } = useClipboard();
  const request = requestOf(form);
  const secrets = secretsOf(request);
  const link = formLink(location.origin, request);
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed" role="status">
        {error && 'The browser did not allow the copy. Right-click the button to copy the link. '}
        {secrets.length > 0 && `The link leaves out ${secrets.join(', ')}.`}
      </Text>
      <Button
        component="a"
        href={link}
        variant="default"
        leftSection={copied ? <CheckIcon aria-hidden /> : <Link2Icon aria-hidden />}
        onClick={(event) => {
          event.preventDefault();
          copy(link);
        }}
      >
        {copied ? 'Copied' : 'Copy link'}
      </Button>
    </Group>
  );
}

function serverFaults(error: unknown): Faults {
  return error instanceof CaptureError ? faultsByOption(error.errors) : new Map();
}

/** What the API document says against the request as it is, and what the service said against what is still the same. */
function useFaults(request: Values, { submission, job }: Run): Faults {
  const refused = submission.error
    ? faultsThatHold(serverFaults(submission.error), submission.variables ?? NOTHING, request)
    : faultsThatHold(faultsByOption(job?.error?.errors ?? []), job?.options ?? NOTHING, request);
  return new Map([...refused, ...faultsOf(request)]);
}

/** What the fields of steps need: the whole form, and what the service said against steps that are still the same. */
function useSteps({ form, set }: CaptureForm, { submission, job }: Run): StepsForm {
  const errors = submission.error instanceof CaptureError ? submission.error.errors : job?.error?.errors;
  const sent: Values = submission.variables ?? job?.options ?? NOTHING;
  const isSame = (name: string): boolean => JSON.stringify(form.values[name]) === JSON.stringify(sent[name]);
  return { form, set, refused: isSame('actions') && isSame('recording') ? (errors ?? []) : [] };
}

/** The form of a job in the address, when nothing else is in the form yet. */
function useOptionsOfJob({ form, load }: CaptureForm, { job }: Run): void {
  const [isKnown, setIsKnown] = useState(Object.keys(form.values).length > 0);
  if (isKnown || !job) return;
  setIsKnown(true);
  if (Object.keys(form.values).length === 0) load(knownForm(job.options));
}
