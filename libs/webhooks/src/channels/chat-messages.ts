import { linesOf, pageOf, titleOf, type Notice } from './notice.js';

const COLOURS = { news: 0x1d4ed8, bad: 0xb91c1c, good: 0x15803d } as const satisfies Record<
  Notice['mood'],
  number
>;

/**
 * A message for Slack's incoming webhooks (https://docs.slack.dev/reference/block-kit). Texts of pages are plain text, which mentions
 * nobody and links nothing. Pictures are attachments: a block whose picture Slack cannot load would lose the whole message.
 */
export function slackMessage(notice: Notice): object {
  const title = titleOf(notice);
  const lines = linesOf(notice);
  const page = pageOf(notice);
  const link = page === null ? [] : [{ type: 'mrkdwn', text: `<${slackUrl(page)}|Open the page>` }];
  return {
    text: title.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
      ...(lines.length > 0
        ? [{ type: 'section', text: { type: 'plain_text', text: lines.join('\n'), emoji: false } }]
        : []),
      ...(link.length > 0 ? [{ type: 'context', elements: link }] : []),
    ],
    attachments: notice.pictures.map(({ name, smallUrl, url }) => ({
      fallback: name,
      title: name,
      title_link: url,
      image_url: smallUrl,
    })),
  };
}

/** A URL has no `<` and no `>`; its `|` would end it. */
function slackUrl(url: string): string {
  return url.replace(/&/g, '&amp;').replace(/\|/g, '%7C').replace(/</g, '%3C').replace(/>/g, '%3E');
}

/** A message for Discord's webhooks (https://docs.discord.com/developers/resources/webhook#execute-webhook), which mentions nobody. */
export function discordMessage(notice: Notice): object {
  const color = COLOURS[notice.mood];
  const lines = linesOf(notice).map(discordText);
  const page = pageOf(notice);
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: discordText(titleOf(notice)),
        ...(page !== null && { url: page }),
        ...(lines.length > 0 && { description: lines.join('\n') }),
        color,
      },
      ...notice.pictures.map(({ name, smallUrl, url }) => ({
        title: name,
        url,
        color,
        image: { url: smallUrl },
      })),
    ],
  };
}

/** Discord reads Markdown: each of its signs stands for itself behind a backslash. */
function discordText(text: string): string {
  return text.replace(/[\\*_~`|>[\]#<]/g, '\\$&');
}

/**
 * A message for a Teams workflow that receives webhooks: an Adaptive Card
 * (https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using). Rich text is not read as
 * Markdown.
 */
export function teamsMessage(notice: Notice): object {
  const text = (inline: object): object => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', ...inline }],
  });
  const pictures = notice.pictures.map(({ name, smallUrl, url }) => ({
    type: 'Image',
    url: smallUrl,
    altText: name,
    size: 'Stretch',
    selectAction: { type: 'Action.OpenUrl', title: name, url },
  }));
  const page = pageOf(notice);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      text({ text: titleOf(notice), size: 'Large', weight: 'Bolder' }),
      ...linesOf(notice).map((line) => text({ text: line })),
      ...pictures,
    ],
    actions: page === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open the page', url: page }],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}
