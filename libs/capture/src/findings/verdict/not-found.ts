/**
 * What pages call themselves that a server sends with status 200 in place of one that it does not have, in the languages of most
 * of the web. Each is the whole of a heading or of a part of the title: an article about such pages says more.
 */
const NAMES = [
  // English
  '(?:sorry,? )?(?:the |this |that |requested |web ?)*(?:page|url) (?:you(?:.re| are| were|.ve| have)? .{3,30} )?(?:(?:was |is |could |can)?not (?:be )?found|(?:cannot|can.t|could ?n.t) be found|does(?:n.t| not) exist|(?:is ?n.t|is no longer|is not|no longer|not) (?:here|available|exists?)|no longer exists|has (?:been )?(?:moved|removed|gone)(?: .{3,30})?|is (?:missing|gone)|unavailable|missing)',
  "(?:sorry,? )?(?:we |i )?(?:can(?:no|')?t|can not|could ?n[o']t|could not) (?:seem to )?find (?:that|the|this|your) (?:page|url).{0,40}",
  '(?:http |status )?(?:error )?404(?: error)?[\\s,:–—-]*(?:page )?not found',
  // German
  '(?:die |diese )?(?:angeforderte |gesuchte )?seite (?:wurde |konnte |ist )?(?:leider )?nicht (?:gefunden(?: werden)?|vorhanden|verfügbar|mehr verfügbar)',
  '(?:die |diese )?seite (?:existiert|gibt es) (?:leider )?nicht(?: mehr)?',
  // French
  "(?:cette |la )?page (?:demandée |recherchée )?(?:est |n'est |n'a pas été |non )?(?:introuvable|trouvée|inexistante|pas disponible)",
  "(?:cette |la )?page (?:demandée |que vous .{5,30} )?n'existe (?:pas|plus)",
  // Spanish, Portuguese, Italian, Romanian
  '(?:la |esta )?página (?:no (?:encontrada|existe|disponible|fue encontrada)|no se (?:encuentra|ha encontrado|encontró)(?: disponible)?)',
  'no (?:se )?(?:encontramos|hemos encontrado|encontró|pudimos encontrar|podemos encontrar) (?:la|esta) página.{0,30}',
  '(?:a |esta )?página (?:não (?:encontrada|existe|foi encontrada|disponível)|inexistente)',
  '(?:la |questa )?pagina (?:non (?:trovata|esiste|disponibile|è stata trovata|è disponibile)|inesistente)',
  'pagin[ăa] (?:nu (?:a fost găsită|există|a putut fi găsită)|negăsită)',
  // Dutch, Swedish, Danish, Norwegian, Finnish
  '(?:de |deze )?pagina (?:(?:kan |kon |is |werd )?niet (?:worden )?(?:gevonden|beschikbaar)|bestaat (?:helaas )?niet(?: meer)?)',
  'sidan (?:kunde inte hittas|kan inte hittas|gick inte att hitta|finns inte|hittades inte)',
  '(?:siden|side) (?:blev |kunne |ble |er )?(?:ikke )?(?:fundet|findes|funnet|finnes|finnes ikke|findes ikke|eksisterer ikke)',
  'sivua ei (?:löytynyt|löydy|ole olemassa)',
  // Polish, Czech, Slovak, Hungarian, Turkish, Greek
  '(?:ta )?strona (?:nie (?:istnieje|została (?:odnaleziona|znaleziona))|nie znaleziona)',
  'nie (?:znaleziono|można znaleźć) (?:takiej |tej )?strony',
  '(?:tato )?stránk[au] (?:nenalezena|nebyla nalezena|neexistuje|nebola nájdená|(?:se )?nepodařilo (?:se )?najít)',
  '(?:az |a )?(?:keresett )?oldal nem (?:található|létezik)',
  '(?:aradığınız |bu )?sayfa (?:bulunamadı|mevcut değil|bulunmuyor)',
  '(?:η )?σελίδα (?:που .{3,30} )?δεν (?:βρέθηκε|υπάρχει)',
  // Russian, Ukrainian, Bulgarian
  '(?:такой |эта |запрашиваемая )?страниц[аы] (?:не (?:найдена|существует)|нет)',
  'такой страницы (?:нет|не существует)',
  '(?:такої |ця )?сторінк[ауи] не (?:знайдено|існує)',
  'страницата не (?:е намерена|съществува)',
  // Arabic, Persian, Hebrew, Hindi
  '(?:هذه )?الصفحة (?:المطلوبة |التي .{3,30} )?(?:غير موجودة|غير متوفرة)',
  '(?:لم يتم العثور على|تعذر العثور على) (?:هذه )?الصفحة',
  'صفحه(?:‌ای)? (?:مورد نظر )?(?:شما )?(?:یافت|پیدا) نشد',
  'ה?(?:דף|עמוד) (?:המבוקש )?לא (?:נמצא|קיים)',
  '(?:पृष्ठ|पेज) नहीं मिला',
  // Indonesian, Vietnamese, Thai
  'halaman (?:ini )?(?:tidak|tak) (?:ditemukan|dijumpai|tersedia)',
  '(?:không tìm thấy trang(?: này)?|trang (?:này |bạn .{3,30} )?không (?:tồn tại|tìm thấy))',
  'ไม่พบหน้า.{0,30}',
  // Japanese, Chinese, Korean
  '(?:お探しの|ご指定の|指定された)?ページ(?:が|は)?(?:見つかりません(?:でした)?|存在しません|ありません)',
  '(?:抱歉[，,]?)?(?:您(?:所)?(?:访问|要找|請求|请求|查找|訪問)的)?(?:页面|網頁|网页|頁面)(?:不存在|未找到|找不到了?|无法找到|無法找到|没有找到|丢失了)(?:或已.{1,10})?',
  '(?:无法找到|找不到|未找到)(?:该|此|這個|这个|您.{0,6}的)?(?:页面|网页|頁面|網頁)',
  '(?:요청하신 |찾으시는 )?페이지(?:가|를|을)? ?(?:존재하지 않습니다|찾을 수 없(?:습니다|어요|음)|없습니다)',
];

/** What may stand before: an exclamation, an apology, the number. */
const BEFORE =
  "(?:(?:o+ps|whoops|oh no|oh dear|uh[- ]?oh|hm+|ups|hoppla|hoppsan|oups|sorry|we're sorry|pardon|désolé|es tut uns leid|lo sentimos|mi dispiace|ops|упс|おっと|错误|錯誤|オッと|エラー|오류|error|erreur|fehler|errore?|erro|fel|feil|fejl|virhe|błąd|chyba|hata|ошибка|помилка|http|404)[\\s,.!:;…–—|()-]*)*";

const isOneOf = (names: readonly string[]): RegExp =>
  new RegExp(
    `^${BEFORE}(?:${names.join('|')})[\\s.!…?。！:;()-]*(?:\\(?(?:error )?404\\)?)?[\\s.!:)(-]*$`,
    'iu',
  );

/** Matches the whole of a heading. */
export const IS_NOT_FOUND = isOneOf(NAMES);
/** Matches the whole of a part of a title. As a heading, `Not found` may also be the name of a number. */
export const IS_TITLED_NOT_FOUND = isOneOf([...NAMES, 'not found', 'nicht gefunden']);

/** A heading or a part of a title that is the number alone. */
export const IS_404 =
  /^(?:http |status )?(?:error|fehler|erreur|errore?|erro|ошибка)? ?404(?: error)?[.!:]?$/i;

/** What such a page says in its text. */
export const SAYS_NOT_FOUND =
  /\b(?:page|url|address|resource|file)\b.{0,60}\b(?:not found|not be found|cannot be found|can't be found|couldn't find|could not find|does(?:n't| not) exist|no longer exists|has been (?:moved|deleted|removed)|might have been|may have been)|(?:can't|couldn't|cannot|could not) (?:seem to )?find (?:the|that|this|what) |(?:page|what) you(?:'re| are| were) looking for|(?:follow(?:ed|ing)|clicked) (?:on )?an? (?:old|broken|outdated|bad) link|nicht gefunden|existiert nicht|gibt es (?:leider )?nicht|introuvable|n'existe (?:pas|plus)|no encontrada|no existe|non trovata|non esiste|não encontrada|não existe|niet gevonden|bestaat niet|nie istnieje|не найдена|не существует|не знайдено|bulunamadı|見つかりません|不存在|找不到|찾을 수 없/i;
