import type { Json } from './client.js';

export interface ReceivedEvent {
  readonly name: string;
  readonly id: string;
  readonly data: Json;
}

/** Yields the server-sent events of a response; ends when the service ends the stream. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) if (!block.startsWith(':')) yield read(block);
  }
}

/** Collects the events until the service ends the stream. */
export async function allEventsOf(response: Response): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  return events;
}

function read(block: string): ReceivedEvent {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    name: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null') as Json,
  };
}
