import type { Draft, LoadingPage } from './draft.js';

type Plan = readonly (readonly [ms: number, data: string])[];

const inUrl = (plan: Plan): string => encodeURIComponent(JSON.stringify(plan));
const socket = (plan: Plan): string =>
  `new WebSocket(location.origin.replace('http', 'ws') + '/socket?plan=${inUrl(plan)}')`;
const events = (plan: Plan): string => `new EventSource('/events?plan=${inUrl(plan)}')`;

const WAITING = [
  'Connecting…',
  'connecting...',
  'Connecting to server…',
  'Waiting for data…',
  'Connecting to live feed',
  'Verbinde…',
  'Conectando…',
  'Connexion en cours…',
];

/** A page that says that it connects, and replaces that by the first message. */
function announced(draft: Draft, open: (plan: Plan) => string): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(2, 6)];
  const plan: Plan = [[draft.int(200, 900), draft.content(pieces)]];
  return draft.page({
    body: `${draft.header()}<div id="${place}">${draft.pick(['', '<p>'])}${draft.pick(WAITING)}</div>`,
    script: draft.begin(`const stream = ${open(plan)};
      stream.onmessage = ({ data }) => { byId('${place}').innerHTML = data; };`),
    pieces,
  });
}

/** A table whose cells have no values yet, but dashes. */
function dashed(draft: Draft, open: (plan: Plan) => string): LoadingPage {
  const [cell, pieces] = [draft.hash(), draft.int(3, 8)];
  const none = draft.pick(['—', '--', '–', '...']);
  const rows = Array.from(
    { length: pieces },
    (_, at) => `<tr><th>${draft.words(1)}</th><td id="${cell}${at}">${none}</td></tr>`,
  );
  const plan: Plan = [[draft.int(200, 900), draft.swatch]];
  return draft.page({
    body: `${draft.header()}<table><tbody>${rows.join('')}</tbody></table>`,
    script: draft.begin(`const stream = ${open(plan)};
      stream.onmessage = ({ data }) => {
        for (let at = 0; at < ${pieces}; at += 1) byId('${cell}' + at).innerHTML = data + (at * 17 % 23) / 10;
      };`),
    pieces,
  });
}

/** The server greets, and sends data only some time after. The page has an empty place for them. */
function greeted(draft: Draft): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(2, 6)];
  const helloMs = draft.int(50, 200);
  const plan: Plan = [
    [helloMs, '{"sid":"8f2k"}'],
    [helloMs + draft.int(100, 220), draft.content(pieces)],
  ];
  const empty = draft.pick([
    `<ul id="${place}"></ul>`,
    `<main id="${place}"></main>`,
    `<div id="${place}" style="display: grid; gap: 8px"></div>`,
    `<section id="${place}" style="min-height: 300px"></section>`,
  ]);
  return draft.page({
    body: `${draft.header()}${empty}`,
    script: draft.begin(`const stream = ${socket(plan)};
      stream.onmessage = ({ data }) => { if (data[0] !== '{') byId('${place}').innerHTML = data; };`),
    pieces,
  });
}

/** Rows arrive one by one in an empty table. */
function rows(draft: Draft, open: (plan: Plan) => string): LoadingPage {
  const [place, pieces] = [draft.hash(), draft.int(3, 6)];
  let ms = draft.int(150, 700);
  const plan = Array.from({ length: pieces }, () => {
    ms += draft.int(40, 220);
    return [ms, `<td>${draft.swatch}</td><td>${draft.sentence(2, 5)}</td>`] as const;
  });
  return draft.page({
    body: `${draft.header()}<table><thead><tr><th>${draft.words(1)}</th><th>${draft.words(1)}</th></tr></thead><tbody id="${place}"></tbody></table>`,
    script: draft.begin(`const stream = ${open(plan)};
      stream.onmessage = ({ data }) => {
        const row = document.createElement('tr');
        row.innerHTML = data;
        byId('${place}').append(row);
      };`),
    pieces,
  });
}

/** Pages that wait for a WebSocket or an EventSource. */
export const STREAMS = {
  'a WebSocket that is announced': (draft: Draft) => announced(draft, socket),
  'a WebSocket whose values are dashes': (draft: Draft) => dashed(draft, socket),
  'a WebSocket that greets first': greeted,
  'a WebSocket that sends rows': (draft: Draft) => rows(draft, socket),
  'an EventSource that is announced': (draft: Draft) => announced(draft, events),
  'an EventSource whose values are dashes': (draft: Draft) => dashed(draft, events),
  'an EventSource that sends rows': (draft: Draft) => rows(draft, events),
} as const;
