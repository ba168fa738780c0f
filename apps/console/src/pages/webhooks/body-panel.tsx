import { Code, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CopyButton } from '../../ui/copy-button.js';
import { Panel } from '../../ui/panel.js';
import { prettyBody } from './attempt-text.js';
import classes from './webhooks.module.css';

/** The body as text: indented to be read, or as it is sent and signed. */
export function BodyPanel({ body }: { readonly body: string }) {
  const [form, setForm] = useState('Indented');
  return (
    <Panel
      title="Body"
      aside={
        <Group gap="xs">
          <SegmentedControl
            aria-label="Form of the body"
            data={['Indented', 'As sent']}
            value={form}
            onChange={setForm}
          />
          <CopyButton value={body} label="the body as sent" />
        </Group>
      }
    >
      <Code block className={classes.body} tabIndex={0} role="region" aria-label="Body of the request">
        {form === 'Indented' ? prettyBody(body) : body}
      </Code>
    </Panel>
  );
}
