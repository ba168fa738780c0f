import { ERROR_PAGES } from './error-pages.js';
import { signatureOf, type Sign, type Signature } from './signature.js';

const REFUSED = /^(?:401|403|405|429|503)$/;
/** Words of a page that checks its visitor, in the languages in which the vendors write them most. */
const HUMAN =
  /\b(?:not a (?:ro)?bot|are you (?:a )?(?:human|robot)|(?:verify|confirm|prove|verifying|checking)\b.{0,40}\b(?:human|robot|browser)|captcha|security (?:check|verification)|unusual (?:traffic|activity)|automated (?:requests|queries|traffic)|access (?:is |was )?denied|kein roboter|sie ein mensch|pas un robot|êtes humain|no (?:soy|eres) un robot|es humano|non sei un robot)\b|人机验证|安全验证|ロボットではありません/i;
const LOG_IN =
  /\b(?:log[ -]?[io]n|sign[ -]?in|anmelden|einloggen|connexion|se connecter|iniciar sesión|accedi|entrar|inloggen)\b|ログイン|登录/i;

const botWall = signatureOf('bot_wall');
const logInWall = signatureOf('login_wall');

/** A CAPTCHA is a wall when it is all that there is to do on the page; in a form it is part of an ordinary page. */
const captcha = (vendor: string, ...widget: readonly Sign[]): Signature => ({
  ...botWall(vendor, [1, 'form', /^none$/], [1, 'status', REFUSED], [1, 'text', HUMAN], [1, 'title', HUMAN]),
  widget,
});

// One sign a line.
// oxfmt-ignore
const BOT_WALLS: readonly Signature[] = [
  botWall('Cloudflare',
    [3, 'header', /^cf-mitigated: challenge/i],
    [3, 'script', /\/cdn-cgi\/challenge-platform\/(?:h\/\w+\/)?orchestrate\//],
    [3, 'code', /_cf_chl_opt\s*=/],
    [2, 'element', '#challenge-running, #challenge-form, #cf-challenge-running, .cf-browser-verification'],
    [2, 'title', /^(?:Just a moment\.\.\.$|Attention Required! \| Cloudflare|Access denied \| .+ used Cloudflare)/i],
    [2, 'text', /needs to review the security of your connection|sorry, you have been blocked|\berror (?:code:? )?10(?:0[5-9]|1[025]|20)\b/i],
    [1, 'text', /\bray id\b/i],
    [1, 'status', /^(?:403|429|503)$/],
    [1, 'frame', /\/\/challenges\.cloudflare\.com\//],
  ),
  botWall('DataDome',
    [3, 'frame', /\/\/[\w.-]+\.captcha-delivery\.com\/(?:captcha|interstitial)/],
    [3, 'script', /\/\/[\w.-]*captcha-delivery\.com\/[ci]\.js/],
    [3, 'header', /^x-dd-b: /i],
    [2, 'code', /\bdd\s*=\s*\{[^]*captcha-delivery\.com/],
    [2, 'text', /please enable js and disable any ad blocker/i],
    [1, 'header', /^x-datadome(?:-cid)?: /i],
    [1, 'status', REFUSED],
  ),
  botWall('HUMAN (PerimeterX)',
    [2, 'title', /^access to this page has been denied/i],
    [2, 'element', '#px-captcha, meta[name="description"][content="px-captcha"]'],
    [2, 'text', /press (?:&|and) hold to confirm you are|we believe you are using automation tools/i],
    [2, 'script', /captcha\.px-(?:cdn|cloud)\.net|\/captcha\/captcha\.js\?a=c/],
    [1, 'code', /_px(?:AppId|Uuid|Vid)\s*=/],
    [1, 'status', REFUSED],
  ),
  botWall('Akamai',
    [3, 'element', '#sec-if-cpt-container, #sec-cpt-if'],
    [3, 'script', /\/_sec\/cp_challenge\//],
    [2, 'text', /you don't have permission to access ["“].+ on this server/i],
    [2, 'text', /\breference #\d+\.[\da-f]+\.\d{9,}\.[\da-f]+/i],
    [1, 'text', /errors\.edgesuite\.net/i],
    [1, 'header', /^server: AkamaiGHost|^set-cookie: .*\bsec_cpt=/i],
    [1, 'title', /^access denied$/i],
  ),
  botWall('Imperva',
    [3, 'frame', /\/_Incapsula_Resource\?[^#]*\b(?:incident_id|SWUDNSAI|CWUDNSAI)=/],
    [3, 'text', /incapsula incident id:/i],
    [2, 'title', /^pardon our interruption/i],
    [2, 'text', /made us think (?:that )?you (?:were|are|might be) a bot/i],
    [2, 'text', /additional security check is required/i],
    [1, 'header', /^x-(?:iinfo|cdn): /i],
    [1, 'form', /^none$/],
  ),
  botWall('AWS WAF',
    [3, 'header', /^x-amzn-waf-action: (?:challenge|captcha)/i],
    [2, 'code', /\bgokuProps\s*=|awsWafCookieDomainList\s*=/],
    [1, 'script', /\.awswaf\.com\/.+\/(?:challenge|captcha)\.js/],
    [1, 'element', '#challenge-container, #captcha-container'],
    [1, 'title', /^human verification$/i],
  ),
  botWall('Amazon CloudFront',
    [2, 'text', /request blocked\.\s*we can't connect to the server for this app or website/i],
    [1, 'title', /^error: the request could not be satisfied$/i],
  ),
  botWall('Kasada',
    [2, 'script', /\/149e9513-01fa-4fb0-aad4-566afd725d1b\/2d206a39-8ed7-437e-a3be-862e0f06eea3\/ips\.js/],
    [2, 'code', /\bKPSDK\s*=\s*\{/],
    [1, 'header', /^x-kpsdk-(?:ct|r|st|v): /i],
    [1, 'status', /^(?:403|429)$/],
  ),
  botWall('Sucuri',
    [3, 'header', /^x-sucuri-block: /i],
    [3, 'title', /^(?:access denied - )?sucuri website firewall|^sucuri website firewall - access denied/i],
    [2, 'code', /sucuri_cloudproxy_js\b/],
    [1, 'title', /^you are being redirected\.\.\.$/i],
    [1, 'header', /^server: sucuri|^x-sucuri-id: /i],
  ),
  botWall('F5',
    [2, 'text', /the requested url was rejected\. please consult with your administrator/i],
    [2, 'code', /\bbobcmn\b/],
    [2, 'script', /\/TSPD\/\w+\?type=/],
    [1, 'text', /your support id is:? ?<?\d{6,}/i],
    [1, 'title', /^request rejected$/i],
    [1, 'form', /^none$/],
  ),
  botWall('Vercel',
    [3, 'header', /^x-vercel-mitigated: (?:challenge|deny)/i],
    [3, 'title', /^vercel security checkpoint$/i],
    [2, 'script', /\/\.well-known\/vercel\/security\//],
    [2, 'text', /failed to verify your browser|we're verifying your browser/i],
    [1, 'text', /vercel security checkpoint/i],
    [1, 'header', /^server: vercel/i],
  ),
  botWall('Anubis',
    [3, 'element', 'script#anubis_challenge'],
    [2, 'script', /\/\.within\.website\/x\/cmd\/anubis\//],
    [2, 'text', /protected by anubis from techaro/i],
    [1, 'title', /^making sure you're not a bot!$/i],
    [1, 'form', /^none$/],
  ),
  botWall('Google',
    [3, 'redirect', /^https?:\/\/(?:www\.)?google\.[a-z.]+\/sorry\//],
    [2, 'text', /our systems have detected unusual traffic from your computer network/i],
    [1, 'element', 'form#captcha-form'],
    [1, 'status', /^(?:429|503)$/],
  ),
  botWall('Amazon',
    [2, 'element', 'form[action*="/errors/validateCaptcha"]'],
    [1, 'text', /enter the characters you see below|make sure you're not a robot/i],
    [1, 'title', /^robot check$/i],
  ),
  botWall('DDoS-Guard',
    [3, 'script', /\/\.well-known\/ddos-guard\//],
    [2, 'title', /^ddos-guard$/i],
    [1, 'header', /^server: ddos-guard/i],
    [1, 'text', HUMAN],
  ),
  botWall('Wordfence',
    [2, 'text', /your access to this (?:site|service) has been (?:temporarily )?limited/i],
    [1, 'text', /generated by wordfence/i],
    [1, 'status', REFUSED],
  ),
  botWall('Fastly',
    [3, 'script', /\/_fs-ch-\w+\//],
    [2, 'title', /^client challenge$/i],
    [1, 'text', /javascript is disabled in your browser|a required part of this site couldn.t load/i],
  ),
  botWall('Yandex',
    [3, 'redirect', /^https?:\/\/[\w.-]+\/showcaptcha\?/],
    [2, 'script', /\/\/[\w.-]*captcha-backgrounds\.s3\.yandex\.net|\/\/smartcaptcha\.yandexcloud\.net\//],
    [1, 'form', /^none$/],
    [1, 'text', HUMAN],
  ),
  captcha('hCaptcha', [1, 'frame', /\/\/[\w.-]*hcaptcha\.com\//], [1, 'element', '.h-captcha']),
  captcha('reCAPTCHA', [1, 'frame', /\/\/www\.(?:google\.com|recaptcha\.net)\/recaptcha\/(?:api2|enterprise)\/(?:anchor|bframe)/], [1, 'element', '.g-recaptcha:not([data-size="invisible"])']),
  captcha('Turnstile', [1, 'frame', /\/\/challenges\.cloudflare\.com\//], [1, 'element', '.cf-turnstile']),
  captcha('GeeTest', [1, 'script', /\/\/(?:static|gcaptcha4)\.gee(?:test|visit)\.com\//], [1, 'element', '[class^="geetest_"]']),
  captcha('Arkose Labs', [1, 'frame', /\/\/[\w.-]+\.(?:arkoselabs|funcaptcha)\.com\//], [1, 'element', '#FunCaptcha']),
  botWall('unknown',
    [2, 'text', /checking your browser before accessing|please (?:verify|confirm) (?:that )?you(?: are|'re) (?:a )?human|verify(?:ing)? (?:that )?you are (?:a )?human|enable javascript and cookies to continue/i],
    [1, 'title', HUMAN],
    [1, 'status', REFUSED],
  ),
];

/** URLs of log-in pages. */
export const LOG_IN_ADDRESS =
  /\b(?:log-?in|log_in|logon|sign-?in|sign_in|sign-?on|auth|oauth2?|openid|saml2?|sso|cas|session|anmelden|connexion|accedi|entrar)\b/i;

/** A log-in page that was asked for by its own address is a page, so every wall needs a redirect or a refusing status. */
// oxfmt-ignore
const LOGIN_WALLS: readonly Signature[] = [
  logInWall('identity provider',
    [2, 'redirect', /^https?:\/\/(?:accounts\.google\.com|login\.(?:microsoftonline|live)\.com|appleid\.apple\.com|[\w.-]+\.(?:okta|oktapreview|auth0|onelogin|cloudflareaccess)\.com|signin\.aws\.amazon\.com)(?::\d+)?\//],
    [1, 'form', /^(?:password|user name)$/],
    [1, 'title', LOG_IN],
  ),
  logInWall('log-in form',
    [2, 'form', /^password$/],
    [1, 'form', /^user name$/],
    [1, 'redirect', LOG_IN_ADDRESS],
    [1, 'redirect', /[?&](?:next|return\w*|redirect\w*|continue|goto|destination|back|from|referer)=/i],
    [1, 'status', /^40[13]$/],
    [1, 'text', /\b(?:please |you (?:must|need to|have to) |to continue,? )(?:first )?(?:log|sign) ?in\b|(?:log|sign) in to (?:continue|view|see|access)\b/i],
  ),
];

/** In order of precedence: of several kinds with a proof, the first is the verdict. */
export const SIGNATURES: readonly Signature[] = [...BOT_WALLS, ...LOGIN_WALLS, ...ERROR_PAGES];

/** The selectors of all signs. */
export const SELECTORS: readonly string[] = SIGNATURES.flatMap(({ signs, widget = [] }) =>
  [...signs, ...widget].flatMap(([, look, pattern]) => (look === 'element' ? pattern.split(', ') : [])),
);
