import { Button, Group, Paper, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import { PlayIcon } from '@radix-ui/react-icons';
import { withScheme } from '../../ui/web-address.js';
import { shown } from './fields/field-props.js';
import { useDevices } from './fields/list-fields.js';
import { OptionField, placeOf } from './fields/option-field.js';
import type { Faults } from './form/faults.js';
import { applies, defaultOf, FIRST_NAMES, formatsOf, OPTIONS } from './form/options.js';
import type { CaptureForm } from './use-capture-form.js';

interface TargetFieldsProps {
  readonly capture: CaptureForm;
  readonly faults: Faults;
  readonly isSubmitting: boolean;
}

const TARGETS = [
  { value: 'url', label: 'URL' },
  { value: 'html', label: 'HTML' },
];

/** What is captured and as what, and the button that starts it. */
export function TargetFields({ capture, faults, isSubmitting }: TargetFieldsProps) {
  const { form } = capture;
  return (
    <Paper withBorder p={12}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap">
          <SegmentedControl
            data={TARGETS}
            value={form.target}
            onChange={(target) => capture.setTarget(target === 'html' ? 'html' : 'url')}
            aria-label="What is captured"
          />
          <Button
            type="submit"
            loading={isSubmitting}
            leftSection={<PlayIcon aria-hidden />}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            Capture
          </Button>
        </Group>
        {form.target === 'url' ? (
          <UrlField {...{ capture, faults }} />
        ) : (
          <HtmlFields {...{ capture, faults }} />
        )}
        {FIRST_NAMES.map((name) => (
          <FirstOption key={name} name={name} capture={capture} faults={faults} />
        ))}
      </Stack>
    </Paper>
  );
}

function FirstOption({ name, capture: { form, set }, faults }: FieldsProps & { readonly name: string }) {
  const { data: devices } = useDevices();
  const option = OPTIONS.get(name);
  if (!option) return null;
  return (
    <OptionField
      option={option}
      value={form.values[name]}
      fallback={defaultOf(option, form.values, devices)}
      fault={faults.get(name)}
      applies={applies(option, formatsOf(form.values))}
      isPlain
      set={set}
    />
  );
}

type FieldsProps = Omit<TargetFieldsProps, 'isSubmitting'>;

function UrlField({ capture: { form, set }, faults }: FieldsProps) {
  return (
    <div id={placeOf('url')}>
      <TextInput
        id={`${placeOf('url')}-control`}
        label="URL"
        value={shown(form.values.url)}
        placeholder="https://example.com/"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        error={faults.get('url')}
        onChange={(event) => set('url', event.currentTarget.value || undefined)}
        onBlur={({ currentTarget: { value } }) => {
          if (withScheme(value) !== value) set('url', withScheme(value));
        }}
      />
    </div>
  );
}

function HtmlFields({ capture: { form, set }, faults }: FieldsProps) {
  return (
    <>
      <div id={placeOf('html')}>
        <Textarea
          id={`${placeOf('html')}-control`}
          label="HTML"
          value={shown(form.values.html)}
          placeholder="<h1>Hello</h1>"
          autosize
          minRows={4}
          maxRows={14}
          spellCheck={false}
          error={faults.get('html')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onChange={(event) => set('html', event.currentTarget.value || undefined)}
        />
      </div>
      <div id={placeOf('base_url')}>
        <TextInput
          id={`${placeOf('base_url')}-control`}
          label="Base URL of relative URLs"
          value={shown(form.values.base_url)}
          placeholder="none"
          autoComplete="off"
          error={faults.get('base_url')}
          onChange={(event) => set('base_url', event.currentTarget.value || undefined)}
        />
      </div>
    </>
  );
}
