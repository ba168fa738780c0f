import { NumberInput, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../ui/panel.js';
import { DefaultOptions } from '../batches/new/default-options.js';
import { OWN_OPTIONS, type CrawlDraft, type CrawlFaults } from './crawl-draft.js';
import { ROBOTS, SAME, SOURCES } from './crawl-text.js';

interface FieldsProps {
  readonly draft: CrawlDraft;
  readonly faults: CrawlFaults;
  readonly change: (changes: Partial<CrawlDraft>) => void;
}

/** All fields of a crawl. */
export function CrawlFields(props: FieldsProps) {
  return (
    <>
      <SitePanel {...props} />
      <LimitsPanel {...props} />
      <CapturesPanel {...props} />
    </>
  );
}

function SitePanel(props: FieldsProps) {
  const { draft, faults, change } = props;
  return (
    <Panel title="Site">
      <Stack gap="sm">
        <TextInput
          label="Where the crawl begins"
          placeholder="https://docs.example.com/"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          error={faults.fields.get('url')}
          value={draft.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ChoiceField name="source" label="Where addresses come from" choices={SOURCES} {...props} />
          <ChoiceField name="same" label="Stays on" choices={SAME} {...props} />
        </SimpleGrid>
        <ChoiceField
          name="robots"
          label="robots.txt and nofollow"
          help="What the site asks crawlers to leave out, and the delay that it asks for."
          choices={ROBOTS}
          {...props}
        />
      </Stack>
    </Panel>
  );
}

function LimitsPanel(props: FieldsProps) {
  return (
    <Panel title="Which pages">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberField name="limit" label="Pages at most" help="Up to 10,000." {...props} />
          <NumberField name="max_depth" label="Links at most" help="0: the start alone." {...props} />
          <NumberField
            name="limit_per_pattern"
            label="Pages alike at most"
            help="A calendar has no end."
            {...props}
          />
        </SimpleGrid>
        <PatternsField
          name="include"
          label="Only addresses like these"
          help="One pattern a line, in which * stands for any characters. The start is captured anyway."
          example="*/guide/*"
          {...props}
        />
        <PatternsField
          name="exclude"
          label="No addresses like these"
          help="One pattern a line."
          example="*?sort=*"
          {...props}
        />
      </Stack>
    </Panel>
  );
}

function CapturesPanel({ draft, faults, change }: FieldsProps) {
  return (
    <Panel title="Captures">
      <Stack gap="sm">
        <DefaultOptions
          label="Add an option for all pages"
          defaults={draft.defaults}
          without={OWN_OPTIONS}
          faults={faults.defaults}
          onChange={(defaults) => change({ defaults })}
        />
        <TextInput
          label="Webhook at the end"
          description="A public URL that receives batch.completed or batch.canceled."
          placeholder="https://example.com/hook"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          error={faults.fields.get('webhook_url')}
          value={draft.webhook_url}
          onChange={(event) => change({ webhook_url: event.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}

interface FieldProps<Name extends keyof CrawlDraft> extends FieldsProps {
  readonly name: Name;
  readonly label: string;
  readonly help?: string;
}

interface ChoiceProps extends FieldProps<'source' | 'same' | 'robots'> {
  readonly choices: Readonly<Record<string, string>>;
}

function ChoiceField({ name, label, help, choices, draft, faults, change }: ChoiceProps) {
  return (
    <Select
      label={label}
      description={help}
      allowDeselect={false}
      data={Object.entries(choices).map(([value, text]) => ({ value, label: text }))}
      error={faults.fields.get(name)}
      value={draft[name]}
      onChange={(value) => value !== null && change({ [name]: value })}
    />
  );
}

function NumberField(props: FieldProps<'limit' | 'max_depth' | 'limit_per_pattern'>) {
  const { name, label, help, draft, faults, change } = props;
  return (
    <NumberInput
      label={label}
      description={help}
      min={0}
      allowDecimal={false}
      // What is out of range is said, and not changed.
      clampBehavior="none"
      error={faults.fields.get(name)}
      value={draft[name]}
      onChange={(value) => change({ [name]: value === '' ? '' : Number(value) })}
    />
  );
}

interface PatternsProps extends FieldProps<'include' | 'exclude'> {
  readonly example: string;
}

function PatternsField({ name, label, help, example, draft, faults, change }: PatternsProps) {
  return (
    <Textarea
      label={label}
      description={help}
      placeholder={example}
      autosize
      minRows={1}
      autoComplete="off"
      spellCheck={false}
      error={faults.fields.get(name)}
      value={draft[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
}
