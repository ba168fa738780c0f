import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { discordMessage, slackMessage, teamsMessage } from './chat-messages.js';
import { mailOf } from './mail.js';
import type { Notice } from './notice.js';

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });
const only = (properties: Readonly<Record<string, object>>, required: readonly string[]): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const is = (value: string | number | boolean | null): object => ({ const: value });
const listOf = (maxItems: number, ...kinds: readonly object[]): object => ({
  type: 'array',
  maxItems,
  items: { oneOf: kinds },
});
const LINK = { type: 'string', pattern: '^https?://[^\\s<>]+$', maxLength: 2_048 };

/**
 * Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, the blocks of
 * https://docs.slack.dev/reference/block-kit/blocks (header: 150 characters; section: 3,000; context: 10 elements), and
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments; read in November 2026.
 */
const SLACK = only(
  {
    text: text(40_000),
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: listOf(
      50,
      only(
        {
          type: is('header'),
          text: only({ type: is('plain_text'), text: text(150), emoji: is(false) }, ['type', 'text']),
        },
        ['type', 'text'],
      ),
      only(
        {
          type: is('section'),
          text: only({ type: is('plain_text'), text: text(3_000), emoji: is(false) }, ['type', 'text']),
        },
        ['type', 'text'],
      ),
      only(
        {
          type: is('context'),
          elements: listOf(10, only({ type: is('mrkdwn'), text: text(3_000) }, ['type', 'text'])),
        },
        ['type', 'elements'],
      ),
    ),
    attachments: listOf(
      100,
      only({ fallback: text(200), title: text(200), title_link: LINK, image_url: LINK }, [
        'fallback',
        'image_url',
      ]),
    ),
  },
  ['text', 'blocks'],
);

/**
 * Discord: https://docs.discord.com/developers/resources/webhook#execute-webhook (10 embeds) and
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits; read in November 2026.
 */
const DISCORD = only(
  {
    allowed_mentions: only({ parse: { type: 'array', maxItems: 0 } }, ['parse']),
    embeds: listOf(
      10,
      only(
        {
          title: text(256),
          description: text(4_096),
          url: LINK,
          color: { type: 'integer', minimum: 0, maximum: 0xffffff },
          image: only({ url: LINK }, ['url']),
        },
        ['title', 'color'],
      ),
    ),
  },
  ['embeds'],
);

const OPEN_URL = only({ type: is('Action.OpenUrl'), title: text(100), url: LINK }, ['type', 'url']);

/**
 * Teams: https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (an attachment with a
 * card) and http://adaptivecards.io/schemas/1.4.0/adaptive-card.json (RichTextBlock, TextRun, Image, Action.OpenUrl); read in November 2026.
 */
const TEAMS = only(
  {
    type: is('message'),
    attachments: listOf(
      1,
      only(
        {
          contentType: is('application/vnd.microsoft.card.adaptive'),
          contentUrl: is(null),
          content: only(
            {
              $schema: is('http://adaptivecards.io/schemas/adaptive-card.json'),
              type: is('AdaptiveCard'),
              version: is('1.4'),
              body: listOf(
                200,
                only(
                  {
                    type: is('RichTextBlock'),
                    inlines: listOf(
                      1,
                      only(
                        { type: is('TextRun'), text: text(2_000), size: is('Large'), weight: is('Bolder') },
                        ['type', 'text'],
                      ),
                    ),
                  },
                  ['type', 'inlines'],
                ),
                only(
                  {
                    type: is('Image'),
                    url: LINK,
                    altText: text(200),
                    size: is('Stretch'),
                    selectAction: OPEN_URL,
                  },
                  ['type', 'url'],
                ),
              ),
              actions: listOf(6, OPEN_URL),
            },
            ['type', 'version', 'body'],
          ),
        },
        ['contentType', 'content'],
      ),
    ),
  },
  ['type', 'attachments'],
);

const FILE = 'https://capture.example.com/v1/files/019ac003-7d1e-7c3a-9f4b-2f1c8a6e5d41';
const NOTICE: Notice = {
  title: 'pricing has changed: Price: €149 → €139',
  mood: 'news',
  url: new URL('https://example.com/pricing?a=1&b=<2>|3').href,
  lines: ['− Price: €149', '+ Price: €139'],
  pictures: [
    {
      name: 'What changed',
      smallUrl: `${FILE}/diff?expires=1&small=2&signature=v1.x`,
      url: `${FILE}/diff?expires=1`,
    },
  ],
};
const BARE: Notice = { title: 'pricing is paused', mood: 'bad', url: null, lines: [], pictures: [] };
const HOSTILE: Notice = {
  ...NOTICE,
  title: `<!channel> *a* [b](https://evil.example) @everyone ${'\\*_~`|>[]#<'.repeat(60)}\nsecond line 😀`,
  url: `https://example.com/${'a'.repeat(3_000)}`,
  lines: ['<b>bold</b> & @here', '`*_~'.repeat(400), 'never shown '.repeat(400)],
};

const faultsIn = (schema: object, message: object): unknown => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  return ajv.validate(schema, message) ? null : ajv.errors;
};

describe('messages', () => {
  it.each([
    ['Slack', SLACK, slackMessage],
    ['Discord', DISCORD, discordMessage],
    ['Teams', TEAMS, teamsMessage],
  ] as const)('are what %s takes, whatever a page says', (_, schema, messageOf) => {
    for (const notice of [NOTICE, BARE, HOSTILE]) expect(faultsIn(schema, messageOf(notice))).toBeNull();
    expect(Buffer.byteLength(JSON.stringify(messageOf(HOSTILE)))).toBeLessThan(28_000);
  });

  it('are recognised by their schemas', () => {
    expect(faultsIn(SLACK, discordMessage(NOTICE))).not.toBeNull();
    expect(faultsIn(DISCORD, slackMessage(NOTICE))).not.toBeNull();
    expect(faultsIn(TEAMS, slackMessage(NOTICE))).not.toBeNull();
  });

  it('mention nobody and link nothing of what a page says', () => {
    const slack = slackMessage(HOSTILE) as { text: string; blocks: unknown };
    expect(slack.text).toMatch(/^&lt;!channel&gt; \*a\*/);
    expect(JSON.stringify(slack.blocks)).not.toContain('mrkdwn');
    expect(JSON.stringify(slackMessage(NOTICE))).toContain('b=%3C2%3E%7C3|Open the page>');
    const discord = discordMessage(HOSTILE) as { embeds: { title: string; description: string }[] };
    expect(discord.embeds[0]?.title).toMatch(/^\\<!channel\\> \\\*a\\\* \\\[b\\\]/);
    expect(discord).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it('say that there is more than they show', () => {
    const { text: shown } = mailOf({ ...NOTICE, lines: ['first', 'x'.repeat(3_000), 'last'] });
    expect(shown).toContain('\nfirst\n…\n');
  });

  it('are mails with the same words as text and as HTML, whose signs are escaped', () => {
    const { subject, text: words, html } = mailOf(HOSTILE);
    expect(subject).toMatch(/^<!channel> \*a\*/);
    expect(subject).not.toContain('\n');
    expect(words).toContain('<b>bold</b> & @here');
    expect(html).toContain('&lt;b&gt;bold&lt;/b&gt; &amp; @here');
    expect(html).not.toContain('<!channel>');
    expect(mailOf(NOTICE).html).toContain('<img src="https://capture.example.com/v1/files/');
  });
});
