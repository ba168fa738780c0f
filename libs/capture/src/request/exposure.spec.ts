import { describe, expect, it } from '@jest/globals';
import { fieldsOf, Flag as PlainFlag } from '@app/kernel';
import { EXPOSURE_RULES, type Exposure } from '../pipeline/exposure.js';
import { Flag, optionSpecsOf } from '../pipeline/option-fields.js';
import { CaptureOptions, OPTIONS } from './capture-options.js';

/**
 * Who may set each option. Before you add one to `public`, read what the exposures mean (pipeline/exposure.ts), and ask what an
 * attacker could do with it who has a link of an account, or who writes a page that misleads a model.
 */
const OPTIONS_BY_EXPOSURE: Readonly<Record<Exposure, string>> = {
  public: `
    url allowed_hosts format content
    quality omit_background optimize_for_speed image_width image_height image_fit
    device viewport_width viewport_height device_scale_factor mobile touch landscape
    dark_mode reduced_motion media_type timezone locale latitude longitude accuracy user_agent javascript
    clean block_ads block_trackers block_chats block_annoyances block_resource_types block_urls
    block_cookie_banners cookie_consent
    hide_selectors mask_selectors
    wait_until ready_timeout_ms wait_for_selector wait_for_selector_state delay_ms
    navigation_timeout_ms timeout_ms on_timeout
    full_page full_width full_page_method max_height selector selector_padding
    clip_x clip_y clip_width clip_height scroll scroll_to_selector sticky
    animations stable
    fail_on_status fail_if_text fail_if_text_missing fail_on_verdict
    pdf_paper pdf_width pdf_height pdf_landscape pdf_scale pdf_background pdf_page_ranges
    pdf_margin_top pdf_margin_right pdf_margin_bottom pdf_margin_left
    pdf_header_html pdf_footer_html pdf_prefer_css_page_size pdf_outline pdf_tagged
    metadata cache_ttl_s stale_ttl_s cache_key reference filename`,
  style: 'css',
  own: `on_failure_picture session compare_with compare_threshold compare_ignore_selectors compare_confirms
    force expires_in_s slice_height slice_overlap max_slices slice_at`,
  answer: 'outputs response',
  script:
    'html base_url js click_selector actions recording session_save session_share wait_for_function bypass_csp',
  secret: 'headers cookies secrets basic_auth_username basic_auth_password',
};

const namesIn = (text: string): string[] => text.trim().split(/\s+/);

describe('the exposure of options', () => {
  it.each(Object.entries(OPTIONS_BY_EXPOSURE))('is as reviewed: %s', (exposure, names) => {
    const found = [...OPTIONS.values()].filter((option) => option.exposure === exposure);
    expect(found.map(({ name }) => name).sort()).toEqual(namesIn(names).sort());
  });

  it('is known of every option of a capture', () => {
    expect([...OPTIONS.keys()]).toEqual(fieldsOf(CaptureOptions).map(({ name }) => name));
  });

  it('makes exactly the secret ones fields whose value is never shown', () => {
    for (const { secret, exposure } of OPTIONS.values()) expect(secret).toBe(exposure === 'secret');
  });

  it('must be stated, or the types refuse the option', () => {
    class Forgetful {
      // @ts-expect-error -- it states no exposure
      @Flag('An option.', {})
      first = false;
      // @ts-expect-error -- it states none that exists
      @Flag('An option.', { exposure: 'all' })
      second = false;
      // @ts-expect-error -- whether it is secret follows from its exposure
      @Flag('An option.', { exposure: 'public', secret: true })
      third = false;
    }
    expect(() => optionSpecsOf(Forgetful)).toThrow('The option first does not state its exposure.');
  });

  it('cannot be left out by the decorator of another field', () => {
    class Plain {
      @PlainFlag('An option.')
      plain = false;
    }
    expect(() => optionSpecsOf(Plain)).toThrow('The option plain does not state its exposure.');
  });

  it('allows nothing that runs code, acts, or is secret in links, and to models only with a permission', () => {
    for (const exposure of ['script', 'secret'] as const) {
      expect(EXPOSURE_RULES[exposure]).toMatchObject({ inLinks: 'no', byModels: 'if permitted' });
    }
  });
});
