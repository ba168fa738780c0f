import { Alert, Button, Group, SegmentedControl, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { DropZone } from '../../../ui/drop-zone.js';
import { textOfFile } from './plain-csv.js';
import { csvSource, jsonLinesOf, kindOfText, rowsSource, urlsOf, type BatchSource } from './sources.js';

/** A larger file is refused by the API anyway, and would only freeze the browser. */
const MAX_BYTES = 10_485_760;

type Way = 'file' | 'paste';

interface SourceInputProps {
  readonly onSource: (source: BatchSource) => void;
}

/** Takes the rows: a file, or a pasted list of URLs, CSV or JSON lines. */
export function SourceInput({ onSource }: SourceInputProps) {
  const [way, setWay] = useState<Way>('file');
  const [fault, setFault] = useState<string>();
  const takeSource = (read: () => BatchSource): void => {
    try {
      setFault(undefined);
      onSource(read());
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const takeFile = async (file: File): Promise<void> => {
    if (file.size > MAX_BYTES) {
      setFault(`${file.name} is larger than 10 MB, which is the limit of one batch. Split it into several.`);
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    takeSource(() => sourceOf(file.name, bytes));
  };
  return (
    <Stack gap="sm">
      <WayChoice way={way} onWay={setWay} />
      {fault !== undefined && (
        <Alert color="red" role="alert" className="breaks">
          {fault}
        </Alert>
      )}
      {way === 'file' ? (
        <RowsDropZone onFile={(file) => void takeFile(file)} />
      ) : (
        <Paste onText={(text) => takeSource(() => sourceOf('', new TextEncoder().encode(text)))} />
      )}
    </Stack>
  );
}

function RowsDropZone({ onFile }: { readonly onFile: (file: File) => void }) {
  return (
    <DropZone
      title="Drop a CSV here"
      accept=".csv,.tsv,.txt,.jsonl,.ndjson,text/csv,text/plain"
      onFile={onFile}
    >
      The first line names the columns, one of them <code>url</code>. JSON lines and lists of URLs work, too.
      Up to 10,000 rows and 10 MB.
    </DropZone>
  );
}

interface WayChoiceProps {
  readonly way: Way;
  readonly onWay: (way: Way) => void;
}

function WayChoice({ way, onWay }: WayChoiceProps) {
  return (
    <SegmentedControl
      value={way}
      onChange={onWay}
      aria-label="Where the rows come from"
      data={[
        { value: 'file', label: 'File' },
        { value: 'paste', label: 'Paste' },
      ]}
      style={{ alignSelf: 'flex-start' }}
    />
  );
}

function Paste({ onText }: { readonly onText: (text: string) => void }) {
  const [text, setText] = useState('');
  return (
    <Stack gap="xs">
      <Textarea
        label="URLs or rows"
        description="One URL in each line, or CSV with its header, or one JSON object in each line."
        placeholder={'https://example.com\nhttps://example.com/about'}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={8}
        maxRows={20}
        spellCheck={false}
        ff="monospace"
      />
      <Group>
        <Button onClick={() => onText(text)} disabled={text.trim() === ''}>
          Check the rows
        </Button>
      </Group>
    </Stack>
  );
}

/** @throws Error that says what is wrong with JSON lines */
function sourceOf(name: string, bytes: Uint8Array): BatchSource {
  const text = textOfFile(bytes);
  const kind = kindOfText(text, name);
  if (kind === 'urls') return rowsSource(name || 'Pasted URLs', urlsOf(text));
  if (kind === 'json lines') return rowsSource(name || 'Pasted rows', jsonLinesOf(text));
  return csvSource(name || 'Pasted CSV', bytes);
}
