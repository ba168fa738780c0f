/** The part of a page in which something changes, beside all that is noise. */
export const PANEL = `<section id="panel" style="width: 900px; margin: 12px 0; font: 16px/1.4 'Liberation Sans', sans-serif; color: #000">
  <div id="top"></div>
  <p class="banner" style="background: #fff; padding: 6px">Free delivery until Friday</p>
  <h2 style="font-size: 24px">Halo lamp</h2>
  <p id="price">Price: €149.00</p>
  <p id="stock">In stock, ships within 3 days</p>
  <button style="background: #264; color: #fff; border: 0; border-radius: 4px; padding: 8px 20px; font-size: 16px">Buy now</button>
  <a href="#" style="color: #05c">Terms of sale</a> <a href="#" id="menu">Returns</a>
  <table style="border-collapse: collapse" border="1">
    <tr><td>Height</td><td>42 cm</td></tr>
    <tr><td>Weight</td><td>1.8 kg</td></tr>
    <tr><td>Power</td><td>60 W</td></tr>
    <tr><td>Colour</td><td>Ash</td></tr>
  </table>
  <p><span id="dot" style="display: inline-block; width: 12px; height: 12px; border-radius: 6px; background: #2a2"></span> All systems operational</p>
  <div id="track" style="width: 300px; height: 10px; background: #ddd"><div style="width: 60%; height: 10px; background: #36c"></div></div>
  <p><input type="checkbox"> Gift wrap <input value="1" size="3"></p>
  <div id="note" style="background: #fff; border: 1px solid #ddd; padding: 6px">Two years of warranty.</div>
  <svg width="60" height="40"><rect width="60" height="40" fill="#c33"/><circle cx="30" cy="20" r="10" fill="#fff"/></svg>
  <div id="bottom"></div>
</section>`;

const BANNER = '<p class="banner" style="background: #fff; padding: 6px">Free delivery until Friday</p>';
const ROW = '<tr><td>Power</td><td>60 W</td></tr>';
const DOT = 'border-radius: 6px; background: #2a2';
const NOTE = 'background: #fff; border: 1px solid #ddd';

/** A change that a monitor should report: what a page has, and what it has afterwards. */
export interface SeededChange {
  readonly name: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** Changes of words, things and places, and of colours: the last ones are pale. */
export const CHANGES: readonly SeededChange[] = [
  ['a price', '€149.00', '€139.00'],
  ['the cents of a price', '€149.00', '€149.90'],
  ['a currency', '€149', '$149'],
  ['sold out', 'In stock, ships within 3 days', 'Sold out'],
  ['a digit', 'within 3 days', 'within 8 days'],
  ['a word', 'All systems operational', 'All systems degraded'],
  ['a word of a link', 'Terms of sale', 'Terms of use'],
  ['a capital letter', 'Two years of warranty', 'Two Years of warranty'],
  ['a full stop', 'Two years of warranty.', 'Two years of warranty'],
  ['a comma', 'In stock, ships', 'In stock ships'],
  ['a removed row', ROW, ''],
  ['an added row', ROW, `${ROW}<tr><td>Voltage</td><td>230 V</td></tr>`],
  ['a changed row', '1.8 kg', '1.9 kg'],
  ['two digits the other way round', '<td>42 cm</td>', '<td>24 cm</td>'],
  ['a moved banner', BANNER, ''],
  ['a removed link', '<a href="#" id="menu">Returns</a>', ''],
  ['a moved note', 'id="note" style="', 'id="note" style="margin-left: 10px; '],
  ['a larger button', 'padding: 8px 20px', 'padding: 8px 24px'],
  ['another label', 'Buy now', 'Pre-order'],
  ['rounder corners', 'border: 0; border-radius: 4px', 'border: 0; border-radius: 12px'],
  ['a larger title', 'font-size: 24px', 'font-size: 25px'],
  ['bold text', '<p id="stock">', '<p id="stock" style="font-weight: bold">'],
  ['italic text', '<p id="stock">', '<p id="stock" style="font-style: italic">'],
  ['text that is struck out', '<p id="price">', '<p id="price" style="text-decoration: line-through">'],
  ['a checked box', 'type="checkbox"', 'type="checkbox" checked'],
  ['the value of a field', 'value="1"', 'value="2"'],
  ['a bar of 65 %', 'width: 60%', 'width: 65%'],
  [
    'another picture',
    '<circle cx="30" cy="20" r="10" fill="#fff"/>',
    '<path d="M20 10h20v20z" fill="#fff"/>',
  ],
  ['a removed picture', '<rect width="60" height="40" fill="#c33"/>', ''],
  ['a status from green to yellow', DOT, 'border-radius: 6px; background: #ea2'],
  ['a status from green to pale green', DOT, 'border-radius: 6px; background: #4b4'],
  ['a button from #264 to #462', 'background: #264', 'background: #462'],
  ['a button from #264 to #266', 'background: #264', 'background: #266'],
  ['a link from #05c to #06c', 'color: #05c', 'color: #06c'],
  ['text from #000 to #222', 'sans-serif; color: #000', 'sans-serif; color: #222'],
  ['a border from #ddd to #ccc', NOTE, 'background: #fff; border: 1px solid #ccc'],
  ['a warning from #fff to #fff3cd', NOTE, 'background: #fff3cd; border: 1px solid #ddd'],
  ['a tint from #fff to #fffbe6', NOTE, 'background: #fffbe6; border: 1px solid #ddd'],
  ['a tint from #fff to #f6f8fa', NOTE, 'background: #f6f8fa; border: 1px solid #ddd'],
  ['a tint from #fff to #fafafa', NOTE, 'background: #fafafa; border: 1px solid #ddd'],
].map(([name = '', from = '', to = '']) => ({ name: String(name), from, to: String(to) }));

/** @throws Error when the page has not what changes */
export function applyChange(html: string, { name, from, to }: SeededChange): string {
  const changed = html.replace(from, to);
  if (changed === html) throw new Error(`The page has no place for ${name}.`);
  return name === 'a moved banner' ? changed.replace('<div id="bottom"></div>', BANNER) : changed;
}
