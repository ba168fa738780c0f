/** What a control of a dialog does, as its text says. */
export type DialogAnswer = 'reject' | 'accept' | 'settings' | 'close';

/**
 * Runs in the page: the words of consent dialogs, in about forty languages. A list holds the beginnings of words, so that
 * inflected forms match; `_` stands for a space. The second list of a pair is for languages that join words.
 *
 * The translations of klaro, orejime and tarteaucitron are held against the lists by a test.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class DialogWords {
  private readonly lists = {
    /** Cookies: a text that mentions them beside controls that answer asks for consent. */
    cookies: [
      `coockie kuki kakor kakan informasjonskaps informationskaps eväste vafrakök slapuk sīkdat sīkfail küpsis kolačić kolaci
       piškot sušenk ciasteczk süti çerez galet biscuit biskot cwci fianán куки кукис кукі бисквит колачић колачињ μπισκότ`,
      'cookie クッキー 쿠키 饼干 คุกกี้ עוגיות תעוגיות קובצי_cookie تعريف_الارتباط كوكيز کوکی कुकी কুকি 🍪',
    ],
    /** Personal data: more texts mention them, so that only one beside controls that accept and reject asks for consent. */
    privacy: [
      `consent consens consentement privacy privacid gdpr rgpd dsgvo ccpa lgpd einwilligung zustimmung datenschutz personenbez persönliche_daten persönlichen_daten personal_information personal_data
       privatsphäre toestemming persoonlijke_gegevens persoonsgegevens confidentialit données_personnelles informations_personnelles
       consentimiento datos_personales información_personal dati_personali informazioni_personali dados_pessoais consentimento samtycke
       personuppgift personlig_data personliga_data personlige_informasjon personlige_oplysn personlig_informasjon integritetspolicy samtykke personvern persondata personoplysning privatliv
       suostumu tietosuoja yksityisyy henkilötie persónuvernd samþykki souhlas soukromí osobních_údaj osobní_údaj súhlas súkromi osobných_údaj
       osobné_údaj hozzájárul adatvéd személyes_adat consimțăm confidențialit informațiile_dvs date_personale zgoda zgody zgodę dane_osobowe danych_osobowych
       prywatno pristan privol privatnost osobni_poda osobne_poda lične_podat ličnih_podat zasebnost osebni_podat isikuandm nõusolek privaatsus
       piekriš privātum personas_dat sutikim asmens_duomen privatum gizlilik rıza kişisel_veri kişisel_bilgi informació_personal informacions_personalas
       additional_services zusätzliche_dienste servizi_aggiuntivi
       согласи конфиденциальн персональн личн згода конфіденційн особист приватн поверителност съгласие лични_подат приватност
       απόρρητ προσωπικ συγκατάθεσ`,
      '同意 プライバシー 個人情報 隐私 隱私 个人信息 개인정보 الخصوصية البيانات_الشخصية פרטיות حریم_خصوصی गोपनीयता ความเป็นส่วนตัว riêng_tư',
    ],
    refusals: [
      `reject declin deny refus disagree opt_out do_not_accept do_not_agree ablehn lehne verweiger verbiet verwerf widersprech
       nicht_zustimm nicht_einverst interdi rejet weiger afwijz afwijs verwerp rechaz rechazo deneg descart rifiut nega negare
       rejeit recus proib não_aceit avvis avslå nekt neka avböj afvis afslå fravælg nej nei hylkä kiellä kieltäy hafna neita odmít zamít
       zakáz zakaž nesouhlas odmiet zamiet nesúhlas elutasít elvet visszautasít letilt nem_fogad resping refuz renunț nu_accept odbij odbac
       ne_prihva zavrn zavrač ne_sprejm refuzo keeldu keela noraid atteik nepiekrīt atsisak atmest nesutink reddet yasakla kabul_etmi
       odrzu odmaw odmów zablok blokuj nie_zgadz nie_akcept denega rebutj baztertu ukatu ez_onartu rexeit tolak từ_chối không_đồng_ý
       не_соглас не_приним отклон отказ запрет отхвърл забран одби відхил відмов заборон не_погодж απόρρι απορρι άρνησ αρνούμ δεν_αποδέχ δεν_συμφων`,
      `拒否 拒绝 拒絕 同意しない 許可しない 受け入れない 不同意 不接受 不允许 不允許 禁用 거부 거절 동의하지_않 허용하지_않 허용_안_함 ปฏิเสธ ไม่ยอมรับ
       رفض ارفض لا_أوافق لا_اوافق نمی‌پذیرم رد_همه דחה דחיי דחיה לדחות מסרב לא_מסכי अस्वीकार`,
    ],
    only: [
      `only just solo soltanto solamente unicament uniquement seulement nur ausschließlich alleen enkel endast enbart bara kun bare
       vain aðeins pouze jen iba len csak doar numai samo tylko apenas somente ainult tikai tik yalnız sadece només hanya chỉ только лише тільки само μόνο`,
      '',
    ],
    necessary: [
      `necess noodzak notwend essen erforder nödvänd nødvend välttäm nauðsyn nezbytn nevyhnut szüks nužn neophod potrebn nujn niezbęd
       konieczn vajalik nepieciešam būtin gerek zorun diperlukan cần_thiet cần_thiết obligat obligatori required strict techni technic funct функ необходим нужн απαραίτητ αναγκαί`,
      '',
    ],
    onlyNecessary: [
      '',
      '必須のみ 必要なもののみ 必須クッキーのみ 仅必要 僅必要 仅接受必要 只接受必要 필수만 필수_쿠키만 الضرورية_فقط הכרחיות_בלבד เฉพาะที่จำเป็น',
    ],
    without: [
      `without sans sense ohne zonder senza sin sem utan uten uden ilman bez nélkül fără ilma be без χωρίς`,
      '',
    ],
    acceptances: [
      `accept agree allow consent enable approv ok okay okej okei akzept zustimm erlaub einverst zulass autoris j'accept d'accord akkoord toesta
       aanvaard de_acuerdo de_acordo c'est_bon es_bon va_bene u_redu tamam zaakcept acept permit permet accett acconsent aceit concord godkänn tillåt samtyck godta aksept godkjenn samtykk tillad godkend hyväks
       salli samþykk leyf přij souhlas povol akcept prijať prijím prijat súhlas elfogad engedély hozzájár rendben egyetért prihva slažem dopust dozvol
       sprejm strinjam dovol soglaš prano pranoj lejo nõustu luba aktsept piekrīt pieņem apstiprin atļau sutink priim leisti kabul onayl
       zgadzam zezwól zgoda wyrażam onartu ados terima setuju izinkan đồng_ý chấp_nhận cho_phép принима принят прийня прием соглас разреш активир
       съглас позвол прихват прифат у_реду слажем дозвол погодж αποδοχ αποδέχ συμφων επιτρ`,
      `同意 許可 承諾 承認 受け入れ 了承 接受 允许 允許 好的 동의 허용 수락 확인 ยอมรับ ตกลง อนุญาต ยินยอม
       قبول أوافق موافق اقبل تقبل السماح پذیر אישור אשר מסכימ מקבל स्वीकार सहमत`,
    ],
    settings: [
      `setting preferen prefer custom personali personifi cá_nhân configur options choices manage adjust einstell anpass individuell paramètr personnalis régl gérer
       instelling aanpass opciones ajust gestion gerir impostaz inställ indstil innstil tilpas anpassa mukaut asetuks personoi stilling nastav přizpůs
       prispôs beállít testre setări setari postavk prilagod nastavit seaded isikupär iestat pielāg nustatym suasmen ayar tercih kişiselleş dostos ustawien
       zarządz ezarpen pengatur tetapan cài_đặt let_me_choose настро персонализ налашт подешав избирам избере ρυθμίσ προτιμήσ εξατομίκευ`,
      '設定 设置 設置 カスタマイズ 个性化 설정 ตั้งค่า إعدادات الإعدادات تخصيص הגדרות تنظیمات सेटिंग',
    ],
    closings: [
      `close dismiss no_thank not_now maybe_later later skip no,_thank schließ nein_danke nein,_danke später überspring nicht_jetzt fermer non_merci
       non,_merci plus_tard pas_maintenant ignorer cerrar no_gracias no,_gracias ahora_no más_tarde omitir fechar agora_não mais_tarde não,_obrigad não_obrigad
       chiudi no_grazie no,_grazie non_ora più_tardi sluit nee_bedankt nee,_bedankt niet_nu overslaan stäng nej_tack inte_nu senare luk nej_tak ikke_nu
       senere lukk steng nei_takk ikke_nå sulje ei_kiitos ei_nyt myöhemmin ohita loka zavř zatvor zavrie teď_ne později přeskoč neskôr bezár később
       most_nem închide nu_mulț mai_târziu ne_hvala kasnije zapri sulge ei_aitäh aizvērt uždaryt zamknij nie_dzięk nie_teraz później pomiń kapat
       şimdi_değil daha_sonra tutup nanti không,_cảm để_sau tanca itxi pechar mbyll tampar zoumaach đóng закр затвор нет,_спасибо не_сейчас позже пропустить по-късно
       ні,_дякую не_зараз κλείσ όχι_ευχαριστ αργότερα`,
      '閉じる 閉じ 後で 今はしない スキップ 关闭 關閉 不用了 稍后 稍後 跳过 暂不 닫기 나중에 건너뛰기 اغلاق إغلاق ليس_الآن לא_תודה סגור סגירה بستن बंद ปิด',
    ],
  } as const;

  /** An age gate stays: "You must be over 18", "Sind Sie volljährig?". */
  private readonly ages =
    /(?<!\d)(18|21)\s*(\+|years?|yrs|jahre?|ans|años|anos|anys|anni|jaar|år|vuotta|let|rokov|lat|éves|ani|godin|aastat|gadi|metai|yaş|лет|років|години|歳|岁|歲|세)(?!\p{L})|(over|above|under|least|older than|über|mindestens|plus de|más de|mais de|mayor de|maior de|più di|ouder dan|över|over|yli|starší|powyżej|старше) (18|21)(?!\d)|\bage[ -](verification|gate|check|restriction)|volljährig|maggiorenn|mayor(es)? de edad|maior(es)? de idade|pełnoletni|majeur(e)?s?\b|совершеннолет|成年|满18|満18/iu;

  /** A paywall or a bot check stays. */
  private readonly walls =
    /(to|and) (continue|keep) reading|read (the|this) (full|rest|whole)|(free|remaining) articles?\b|articles? (left|remaining)|already (a |have a )?(subscri|member)|subscribers? only|unlimited (digital )?access|([€$£¥₽]|\b(eur|usd|gbp|chf|zł|kr|руб))\.? ?(\d[\d.,]*)?[^.]{0,25}(month|week|year|monat|woche|jahr|mois|semaine|mes|mese|maand|miesiąc|месяц)(?!\p{L})|weiterlesen|weiter lesen|bereits abonn|poursuivre (la|votre) lecture|lire la suite|déjà abonné|réservé aux abonnés|(seguir|continuar|sigue) leyendo|continuar lendo|ya (es|eres|soy) suscriptor|continua a leggere|già abbonat|verder lezen|al abonnee|czytaj dalej|fortsätt läsa|les videre|læs videre|jatka lukemista|читать далее|続きを読む|继续阅读|繼續閱讀|계속 읽|not a robot|you are human|captcha/iu;
  private readonly logIns =
    /\b(log|sign)[ -]?in\b|(continue|sign (in|up)|log in) with |create (an |your )?account|einloggen|anmelden mit|se connecter|s'identifier|iniciar sesión|accedi|inloggen|zaloguj|войти|увійти|ログイン|登录|登入|로그인|تسجيل الدخول|giriş yap|logga in|logg inn|log ind|kirjaudu|přihlásit|prihlásiť|bejelentkez/iu;

  private readonly stems = new Map<WordList, readonly string[]>();

  /**
   * The source of a regular expression for what a document that may ask for consent mentions: quick, for texts of any length,
   * and without regard to words. Many pages match.
   */
  topics(): string {
    const { cookies, privacy } = this.lists;
    const words = [...cookies, ...privacy].join(' ').split(/\s+/);
    return words.map((word) => word.replaceAll('_', ' ')).join('|');
  }

  /** Whether a text asks for consent, beside controls with these answers. */
  asksForConsent(text: string, answers: readonly (DialogAnswer | undefined)[]): boolean {
    const plain = this.plain(text);
    if (this.ages.test(text)) return false;
    if (this.hasWordOf(plain, 'cookies')) return answers.some((each) => each !== undefined);
    return answers.includes('accept') && answers.includes('reject') && this.hasWordOf(plain, 'privacy');
  }

  /** Whether a text asks for an age, a subscription or a proof before it shows what follows. */
  isGate(text: string): boolean {
    return this.ages.test(text) || this.walls.test(text);
  }

  /** Whether a control leads to a log-in. */
  isLogIn(text: string): boolean {
    return text.length <= 60 && this.logIns.test(text);
  }

  /** What a control does; undefined when its text is no answer, or may mean either. */
  answerOf(text: string): DialogAnswer | undefined {
    const plain = this.plain(text);
    // A longer one is a sentence about something.
    if (plain.trim() === '' || plain.length > 80) return undefined;
    const isOnly = this.hasWordOf(plain, 'only') && this.hasWordOf(plain, 'necessary');
    if (isOnly || this.hasWordOf(plain, 'onlyNecessary') || this.lacksConsent(plain)) return 'reject';
    const rest = this.stemsOf('refusals').reduce((left, stem) => left.replaceAll(stem, ' '), plain);
    const accepts = this.hasWordOf(rest, 'acceptances');
    if (rest !== plain) return accepts ? undefined : 'reject';
    if (this.hasWordOf(plain, 'settings')) return 'settings';
    // It may accept no more than what is necessary.
    if (accepts) return this.hasWordOf(plain, 'necessary') ? undefined : 'accept';
    return this.closes(plain) ? 'close' : undefined;
  }

  /** "Continue without accepting". */
  private lacksConsent(plain: string): boolean {
    const without = this.stemsOf('without').find((stem) => plain.includes(stem));
    return (
      without !== undefined &&
      this.hasWordOf(plain.slice(plain.indexOf(without) + without.length), 'acceptances')
    );
  }

  private closes(plain: string): boolean {
    return /^[×✕✖✗╳⨯xх]$/u.test(plain.trim()) || (plain.length <= 30 && this.hasWordOf(plain, 'closings'));
  }

  private hasWordOf(plain: string, name: WordList): boolean {
    return this.stemsOf(name).some((stem) => plain.includes(stem));
  }

  /** The stems of a list as they stand in a plain text: those of words begin with a space. */
  private stemsOf(name: WordList): readonly string[] {
    const known = this.stems.get(name);
    if (known) return known;
    const [spaced = '', joined = ''] = this.lists[name];
    const wordsOf = (list: string): string[] => list.split(/\s+/).filter((word) => word !== '');
    const textOf = (word: string): string => this.plain(word.replaceAll('_', ' '));
    const stems = [
      ...wordsOf(spaced).map((word) => textOf(word).trimEnd()),
      ...wordsOf(joined).map((word) => textOf(word).trim()),
    ];
    this.stems.set(name, stems);
    return stems;
  }

  /** In small letters, without accents, which capitals often lack, and with single spaces around the words. */
  private plain(text: string): string {
    const words = text
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replaceAll('ı', 'i')
      .replaceAll('ß', 'ss')
      .replaceAll('’', "'")
      .replace(
        /[\s\u0021-\u0026\u0028-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0\u2000-\u206f\u3000-\u3003\uff01-\uff0f«»¿¡·]+/g,
        ' ',
      );
    return ` ${words} `;
  }
}

type WordList = keyof DialogWords['lists'];
