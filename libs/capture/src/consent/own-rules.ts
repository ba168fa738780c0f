/** A rule in the syntax of autoconsent, as far as it is read here. */
export interface ConsentRule {
  readonly name: string;
  readonly cosmetic?: boolean;
  readonly prehideSelectors?: readonly string[];
  readonly minimumRuleStepVersion?: number;
  readonly detectCmp?: readonly RuleStep[];
  readonly detectPopup?: readonly RuleStep[];
  readonly runContext?: { readonly main?: boolean; readonly frame?: boolean; readonly urlPattern?: string };
  readonly optOut?: readonly RuleStep[];
  readonly optIn?: readonly RuleStep[];
}

type Selector = string | readonly string[];

export interface RuleStep {
  readonly click?: Selector;
  readonly waitForThenClick?: Selector;
  readonly exists?: Selector;
  readonly visible?: Selector;
  readonly check?: 'any' | 'all' | 'none';
  readonly eval?: string;
  readonly if?: RuleStep;
  readonly then?: readonly RuleStep[];
  readonly else?: readonly RuleStep[];
  readonly any?: readonly RuleStep[];
}

/**
 * Rules of our own, in the syntax of autoconsent, for consent managers that it does not know or does not answer. Each is named
 * like its manager. `prehideSelectors` are the dialogs themselves, not what they are put into.
 */
export const OWN_RULES: readonly ConsentRule[] = [
  {
    // https://github.com/boscop-fr/orejime (versions 2 and 3; the theme of the French state has its own classes)
    name: 'orejime',
    prehideSelectors: [
      '.orejime-BannerOverlay, .orejime-Banner, .orejime-ModalOverlay, .orejime-NoticeOverlay, .orejime-Notice',
      '.orejime-Env .fr-consent-banner, .orejime-Env .fr-modal--opened',
    ],
    detectCmp: [{ exists: '.orejime-Main, .orejime-Env' }],
    detectPopup: [
      {
        visible:
          '.orejime-Banner, .orejime-Modal, .orejime-Notice, .orejime-Env .fr-consent-banner, .orejime-Env .fr-modal--opened',
        check: 'any',
      },
    ],
    optOut: [
      {
        if: { exists: '.orejime-Modal' },
        then: [
          { click: '.orejime-PurposeToggles-disableAll, .orejime-AppToggles-disableAll' },
          { click: '.orejime-Modal-saveButton' },
        ],
        else: [
          {
            click:
              '.orejime-Banner-declineButton, .orejime-Notice-declineButton, .orejime-Env .fr-consent-banner li:nth-child(2) .fr-btn',
          },
        ],
      },
    ],
    optIn: [
      {
        if: { exists: '.orejime-Modal' },
        then: [
          { click: '.orejime-PurposeToggles-enableAll, .orejime-AppToggles-enableAll' },
          { click: '.orejime-Modal-saveButton' },
        ],
        else: [
          {
            click:
              '.orejime-Banner-saveButton, .orejime-Notice-saveButton, .orejime-Env .fr-consent-banner li:nth-child(1) .fr-btn',
          },
        ],
      },
    ],
  },
  {
    // https://github.com/AmauriC/tarteaucitron.js: its buttons work half a second after they are displayed, its API at once.
    name: 'tarteaucitron',
    prehideSelectors: [
      '#tarteaucitronAlertBig, #tarteaucitron, #tarteaucitronBack, #tarteaucitronRoot.tarteaucitronBeforeVisible',
    ],
    detectCmp: [{ exists: '#tarteaucitronRoot' }],
    detectPopup: [{ visible: '#tarteaucitronAlertBig, #tarteaucitron', check: 'any' }],
    optOut: [{ eval: 'EVAL_TARTEAUCITRON_0' }],
    optIn: [{ eval: 'EVAL_TARTEAUCITRON_1' }],
  },
  {
    // https://github.com/kiprotect/klaro: autoconsent does not accept a notice that is displayed as a modal.
    name: 'klaro',
    prehideSelectors: ['.klaro'],
    detectCmp: [{ exists: '.klaro .cookie-modal-notice' }],
    detectPopup: [{ visible: '.klaro .cookie-modal-notice', check: 'any' }],
    optOut: [{ eval: 'EVAL_KLARO_TRY_API_OPT_OUT' }],
    optIn: [{ click: '.klaro .cookie-modal-notice .cm-btn-success' }],
  },
  {
    // https://github.com/Mastermindzh/react-cookie-consent
    name: 'react-cookie-consent',
    prehideSelectors: ['.CookieConsent'],
    detectCmp: [{ exists: '.CookieConsent #rcc-confirm-button' }],
    detectPopup: [{ visible: '.CookieConsent', check: 'any' }],
    optOut: [{ click: '#rcc-decline-button' }],
    optIn: [{ click: '#rcc-confirm-button' }],
  },
  {
    // https://github.com/hypershiphq/react-cookie-manager
    name: 'react-cookie-manager',
    prehideSelectors: ['.cookie-manager'],
    detectCmp: [{ exists: '.cookie-manager .rcm-surface' }],
    detectPopup: [{ visible: '.cookie-manager .rcm-surface', check: 'any' }],
    optOut: [{ click: '.rcm-surface .rcm-button-secondary' }],
    optIn: [{ click: '.rcm-surface .rcm-button-primary' }],
  },
  {
    // https://github.com/inthepocket/cookie-though
    name: 'cookie-though',
    prehideSelectors: ['.cookie-though'],
    detectCmp: [{ exists: ['.cookie-though', '.ct-banner'] }],
    detectPopup: [{ visible: '.cookie-though.visible', check: 'any' }],
    optOut: [{ click: ['.cookie-though', '.ct-acceptance .ct-button-secondary'] }],
    optIn: [{ click: ['.cookie-though', '.ct-acceptance .ct-button:not(.ct-button-secondary)'] }],
  },
  {
    // https://github.com/shaack/bootstrap-cookie-consent-settings
    name: 'bootstrap-cookie-consent-settings',
    prehideSelectors: ['.modal:has(#bccs-options)'],
    detectCmp: [{ exists: '.modal #bccs-options' }],
    detectPopup: [{ visible: '.modal:has(#bccs-options)', check: 'any' }],
    optOut: [{ click: '#bccs-buttonDoNotAgree' }],
    optIn: [{ click: '#bccs-buttonAgree' }],
  },
  {
    // https://github.com/Alex-D/Cookies-EU-banner
    name: 'cookies-eu-banner',
    prehideSelectors: ['#cookies-eu-banner, #cookies-eu-wrapper'],
    detectCmp: [{ exists: '#cookies-eu-banner #cookies-eu-accept' }],
    detectPopup: [{ visible: '#cookies-eu-banner', check: 'any' }],
    optOut: [{ click: '#cookies-eu-reject' }],
    optIn: [{ click: '#cookies-eu-accept' }],
  },
  {
    // https://github.com/porscheofficial/cookie-consent-banner
    name: 'porsche cookie-consent-banner',
    prehideSelectors: ['cookie-consent-banner'],
    detectCmp: [{ exists: ['cookie-consent-banner', '.cc .cc_body'] }],
    detectPopup: [{ visible: ['cookie-consent-banner', '.cc'], check: 'any' }],
    optOut: [{ click: ['cookie-consent-banner', '.btn_essentials_only'] }],
    optIn: [{ click: ['cookie-consent-banner', '.btn_accept_all'] }],
  },
  {
    // https://github.com/beyonk-group/gdpr-cookie-consent-banner: it offers to reject only if the site turns that on.
    name: 'beyonk cookie-consent-banner',
    prehideSelectors: ['cookie-consent-banner'],
    detectCmp: [{ exists: ['cookie-consent-banner', '.cookieConsentWrapper'] }],
    detectPopup: [{ visible: ['cookie-consent-banner', '.cookieConsentWrapper'], check: 'any' }],
    optOut: [{ click: ['cookie-consent-banner', '.cookieConsent__Button--Reject'] }],
    optIn: [{ click: ['cookie-consent-banner', '.cookieConsent__Button--Accept'] }],
  },
  {
    // https://github.com/synapxLab/cookie-core
    name: 'cookie-core',
    prehideSelectors: ['#politecookiebanner'],
    detectCmp: [{ exists: '#politecookiebanner .pmcpli-buttons' }],
    detectPopup: [{ visible: '#politecookiebanner', check: 'any' }],
    optOut: [{ click: '#politecookiebanner .pmcpli-deny' }],
    optIn: [{ click: '#politecookiebanner .pmcpli-accept' }],
  },
];

/** Rules of autoconsent that ours replace: they click too early, and one of them does not know how to accept. */
export const REPLACED_RULES: ReadonlySet<string> = new Set(['tarteaucitron deny', 'tarteaucitron.js']);

/** Buttons with which managers let visitors change their answer. They come into the window when a dialog goes. */
export const REOPENING_BUTTONS = ['.cc-revoke', '#tarteaucitronIcon', '#tarteaucitronAlertSmall'] as const;
