import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { parseOptions } from './parse-options.js';
import { matchesStatus } from '../options/failure.js';

const url = 'https://www.example.com/';

/** `/pointer code` of each fault. */
function codesOf(raw: Record<string, unknown>): string[] {
  try {
    parseOptions({ url, ...raw });
    return [];
  } catch (thrown) {
    return (AppError.from(thrown).facts.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('options of one field', () => {
  const pdf = { format: 'pdf' };
  it.each([
    ['format', {}, ['png', 'jpeg', 'webp', 'avif', 'pdf'], ['exe', '', 'PNG', 'jpg', 1]],
    ['quality', { format: 'jpeg' }, [1, 100], [0, 101, 1.5, '80']],
    ['omit_background', {}, [true, false], ['true', null]],
    ['optimize_for_speed', {}, [true, false], [1]],
    ['full_page', {}, [true, false], ['true', 1, null]],
    ['full_width', { full_page: true }, [true, false], ['true', 1, null]],
    ['full_page_method', { full_page: true }, ['auto', 'grow', 'stitch', 'once'], ['', 'AUTO', true]],
    ['max_height', { full_page: true }, [1, 100_000], [0, 100_001, 1.5, '9']],
    ['selector', {}, ['#a'], ['', 'div[', 'p'.repeat(1_001), 1]],
    ['selector_padding', { selector: 'p' }, [0, 500], [-1, 501, 1.5]],
    ['scroll', {}, [true, false], ['false']],
    ['sticky', {}, ['keep', 'top', 'hide'], ['', 'HIDE', true]],
    ['wait_until', {}, ['load', 'domcontentloaded', 'networkidle', 'auto'], ['networkidle0', '']],
    ['wait_for_selector', {}, ['#a'], ['', 'div[']],
    ['wait_for_selector_state', { wait_for_selector: 'p' }, ['visible', 'hidden', 'attached'], ['gone']],
    [
      'wait_for_function',
      {},
      ['window.ready', 'undefined ?? 1'],
      ['', 'undefined', ' null;', '0', 'a'.repeat(10_001), true],
    ],
    ['delay_ms', {}, [0, 30_000], [-1, 30_001, '5', 0.5]],
    ['navigation_timeout_ms', {}, [1_000, 120_000], [0, 999, 120_001]],
    ['timeout_ms', {}, [1_000, 120_000], [0, -5, 999, 120_001, 1e12]],
    ['on_timeout', {}, ['fail', 'capture'], ['ignore']],
    [
      'fail_on_status',
      {},
      [[], ['404', '4xx', '500-511']],
      [['9xx'], ['404x'], ['511-500'], ['99'], [404], '404'],
    ],
    ['fail_if_text', {}, ['Access denied'], ['', 'a'.repeat(1_001), 1]],
    ['fail_if_text_missing', {}, ['Welcome'], ['', false]],
    ['pdf_paper', pdf, ['a4', 'letter', 'ledger', 'a0'], ['A4', 'b5', '']],
    [
      'pdf_margin_top',
      pdf,
      ['0', '0px', '1.5cm', '1in', '20mm'],
      ['-1in', '1', '00', '1pt', '1 cm', '', '201in', 10],
    ],
    ['pdf_scale', pdf, [0.1, 2], [0, 0.09, 2.1, 3, '1']],
    [
      'pdf_page_ranges',
      pdf,
      ['1', '1-3,5', ' 2 - 4 , 7'],
      ['', '9-1', '0', '1-', '-2', 'all', '1,,2', '1;2'],
    ],
    ['pdf_header_html', pdf, ['<b class="title"></b>'], ['', '<script>', '<img src="file:///etc/passwd">']],
    ['pdf_footer_html', pdf, ['<b class="url"></b>'], ['<img src=x onerror=1>']],
    ['pdf_background', pdf, [true, false], ['yes']],
    ['pdf_landscape', pdf, [true, false], [0]],
    ['pdf_outline', pdf, [true, false], ['']],
    ['pdf_tagged', pdf, [true, false], [null]],
    ['pdf_prefer_css_page_size', pdf, [true, false], ['no']],
  ] as const)('%s takes what its rule says and nothing else', (name, others, good, bad) => {
    for (const value of good) expect([value, codesOf({ ...others, [name]: value })]).toEqual([value, []]);
    for (const value of bad) {
      expect([value, codesOf({ ...others, [name]: value })[0]?.split(' ')[0]]).toEqual([value, `/${name}`]);
    }
  });
});

describe('options without a meaning for the format', () => {
  it.each([
    [{ quality: 80 }],
    [{ format: 'pdf', full_page: true }],
    [{ format: 'pdf', selector: 'p' }],
    [{ format: 'pdf', sticky: 'keep' }],
    [{ format: 'pdf', omit_background: false }],
    [{ format: 'jpeg', omit_background: true }],
    [{ format: 'webp', optimize_for_speed: true }],
    [{ pdf_scale: 1 }],
    [{ format: 'webp', pdf_outline: false }],
    [{ format: 'pdf', image_width: 100 }],
    [{ format: 'avif', optimize_for_speed: true }],
  ])('are refused: %j', (raw) => {
    expect(codesOf(raw).map((each) => each.split(' ')[1])).toEqual(['not_for_format']);
  });

  it('are taken where they have one', () => {
    expect(codesOf({ format: 'pdf', scroll: true })).toEqual([]);
    expect(codesOf({ format: 'webp', quality: 1, omit_background: true })).toEqual([]);
  });
});

describe('options of several fields', () => {
  const clip = { clip_x: 0, clip_y: 0, clip_width: 10, clip_height: 10 };

  it.each([
    [{ full_page: true, selector: 'p' }, ['/selector conflict']],
    [{ full_page: true, ...clip }, ['/clip_x conflict']],
    [{ selector: 'p', ...clip }, ['/clip_x conflict']],
    [{ full_page: true, selector: 'p', ...clip }, ['/selector conflict', '/clip_x conflict']],
    [{ full_page: false, selector: 'p' }, []],
    [{ clip_x: 1 }, ['/clip_y conflict', '/clip_width conflict', '/clip_height conflict']],
    [{ ...clip, clip_width: 0 }, ['/clip_width out_of_range']],
    [{ ...clip, clip_width: 20_000, clip_height: 20_000 }, ['/clip_height out_of_range']],
    [{ max_height: 500 }, ['/max_height conflict']],
    [{ full_width: true }, ['/full_width conflict']],
    [{ full_page_method: 'grow' }, ['/full_page_method conflict']],
    [{ full_width: true, selector: 'main' }, ['/full_width conflict']],
    [{ selector_padding: 5 }, ['/selector_padding conflict']],
    [{ image_fit: 'inside' }, ['/image_fit conflict']],
    [{ image_fit: 'cover' }, ['/image_fit conflict']],
    [{ image_fit: 'inside', image_width: 100 }, []],
    [{ image_fit: 'cover', image_width: 100 }, ['/image_height conflict']],
    [{ image_fit: 'contain', image_height: 100 }, ['/image_width conflict']],
    [{ image_fit: 'contain', image_width: 7_680, image_height: 7_680 }, []],
    [{ format: 'avif', image_fit: 'cover', image_width: 7_000, image_height: 3_000 }, []],
    [
      { format: 'avif', image_fit: 'cover', image_width: 7_000, image_height: 3_001 },
      ['/image_height conflict'],
    ],
    [
      {
        format: 'avif',
        image_fit: 'contain',
        image_width: 4_000,
        image_height: 3_001,
        omit_background: true,
      },
      ['/image_height conflict'],
    ],
    [{ format: 'avif', image_width: 7_680, image_height: 7_680 }, []],
    [{ delay_ms: 5_000, timeout_ms: 5_000 }, ['/delay_ms conflict']],
    [{ wait_for_selector_state: 'hidden' }, ['/wait_for_selector_state conflict']],
    [{ format: 'pdf', pdf_width: '10cm' }, ['/pdf_width conflict']],
    [{ format: 'pdf', pdf_height: '10cm' }, ['/pdf_height conflict']],
    [{ format: 'pdf', pdf_width: '10cm', pdf_height: '10cm', pdf_paper: 'a4' }, ['/pdf_paper conflict']],
    [{ format: 'pdf', pdf_width: '0px', pdf_height: '10cm' }, ['/pdf_width conflict']],
    [{ format: 'pdf', pdf_margin_left: '11cm', pdf_margin_right: '10cm' }, ['/pdf_margin_left conflict']],
    [{ format: 'pdf', pdf_margin_left: '11cm', pdf_margin_right: '10cm', pdf_landscape: true }, []],
    [{ format: 'pdf', pdf_margin_bottom: '29cm' }, ['/pdf_margin_top conflict']],
  ])('%j', (raw, codes) => {
    expect(codesOf(raw)).toEqual(codes);
  });
});

describe(matchesStatus.name, () => {
  it.each([
    [['404'], 404, true],
    [['404'], 405, false],
    [['4xx'], 400, true],
    [['4xx'], 499, true],
    [['4xx'], 500, false],
    [['500-511'], 511, true],
    [['500-511'], 512, false],
    [['3xx', '500'], 500, true],
    [[], 500, false],
  ])('%j holds for %d: %s', (rules, status, isMatch) => {
    expect(matchesStatus(rules, status)).toBe(isMatch);
  });
});
