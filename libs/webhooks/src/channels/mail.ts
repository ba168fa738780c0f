import { linesOf, titleOf, type Notice, type NoticePicture } from './notice.js';

/** A mail without its addresses, as the outbox keeps it. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function mailOf(notice: Notice): Mail {
  const title = titleOf(notice);
  const lines = linesOf(notice);
  const { url, pictures } = notice;
  const text = [
    title,
    ...(url === null ? [] : [url]),
    ...(lines.length > 0 ? ['', ...lines] : []),
    ...(pictures.length > 0 ? ['', ...pictures.map((picture) => `${picture.name}: ${picture.url}`)] : []),
  ];
  return { subject: title, text: `${text.join('\n')}\n`, html: htmlOf({ ...notice, title, lines }) };
}

/** The mail that the outbox holds as the body of a delivery. */
export function readMail(body: string): Mail {
  return JSON.parse(body) as Mail;
}

function htmlOf({ title, url, lines, pictures }: Notice): string {
  const heading = escaped(title);
  return [
    `<h1 style="font-size:18px">${heading}</h1>`,
    url === null ? '' : `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`,
    ...lines.map((line) => `<p style="margin:4px 0">${escaped(line)}</p>`),
    ...pictures.map(pictureHtml),
  ].join('\n');
}

function pictureHtml({ name, smallUrl, url }: NoticePicture): string {
  const image = `<img src="${escaped(smallUrl)}" alt="${escaped(name)}" style="max-width:100%;border:1px solid #ccc">`;
  return `<p>${escaped(name)}<br><a href="${escaped(url)}">${image}</a></p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
