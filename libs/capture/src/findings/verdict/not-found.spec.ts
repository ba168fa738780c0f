import { describe, expect, it } from '@jest/globals';
import { IS_404, IS_NOT_FOUND, IS_TITLED_NOT_FOUND } from './not-found.js';

describe('the heading of a page that is not there', () => {
  it.each([
    'Page not found',
    'Oops! Page not found',
    'Oops, page not found.',
    '404 Page Not Found',
    '404 – Page not found',
    'Error 404: Not Found',
    'Page Not Found (404)',
    'Sorry, this page isn’t available',
    "Sorry, we couldn't find that page",
    "We can't seem to find the page you're looking for.",
    'This page could not be found.',
    'The page you requested cannot be found!',
    'The requested URL was not found',
    "Uh oh… that page doesn't exist",
    'This page is no longer available',
    'Seite nicht gefunden',
    'Ups! Diese Seite gibt es leider nicht mehr.',
    'Fehler 404: Die angeforderte Seite wurde nicht gefunden',
    'Oups ! Cette page est introuvable',
    'Page non trouvée',
    "La page demandée n'existe pas",
    'Página no encontrada',
    'La página no existe',
    'Ops! Página não encontrada',
    'Pagina non trovata',
    'Pagina niet gevonden',
    'Sidan kunde inte hittas',
    'Siden blev ikke fundet',
    'Sivua ei löytynyt',
    'Strona nie została znaleziona',
    'Stránka nenalezena',
    'Az oldal nem található',
    'Pagina nu a fost găsită',
    'Sayfa bulunamadı',
    'Η σελίδα δεν βρέθηκε',
    'Страница не найдена',
    'Ошибка 404. Такой страницы нет',
    'Сторінку не знайдено',
    'الصفحة غير موجودة',
    'صفحه مورد نظر یافت نشد',
    'הדף לא נמצא',
    'पृष्ठ नहीं मिला',
    'Halaman tidak ditemukan',
    'Không tìm thấy trang',
    'ไม่พบหน้าที่คุณต้องการ',
    'お探しのページが見つかりませんでした',
    '页面不存在',
    '抱歉，您访问的页面不存在！',
    '找不到頁面',
    '페이지를 찾을 수 없습니다',
  ])('is %s', (heading) => {
    expect(IS_NOT_FOUND.test(heading.replaceAll('’', "'"))).toBe(true);
  });

  it.each([
    'Page not found errors',
    'How to fix “page not found”',
    'How we made our “Page not found” page',
    'Ten 404 pages that are better than yours',
    'Not found',
    'Product not found',
    'No results found for “page not found”',
    'Nothing found',
    'User not found',
    'The page that could not be found: a novel',
    'Missing persons',
    'Lost and found',
    'The page does not exist yet: how to plan it',
    'We could not find a better page, so we wrote it ourselves and put it here for everyone to read and to share',
    'Seite nicht gefunden: was tun?',
    'Page 404 of the manuscript',
    'Area code 404',
    '未找到商品',
  ])('is not %s', (heading) => {
    expect(IS_NOT_FOUND.test(heading)).toBe(false);
    expect(IS_404.test(heading)).toBe(false);
  });

  it('is the number alone, and in a title the two words alone', () => {
    expect(['404', 'Error 404', '404 error', 'HTTP 404.'].filter((text) => !IS_404.test(text))).toEqual([]);
    expect(['Not Found', '404 Not Found'].filter((text) => !IS_TITLED_NOT_FOUND.test(text))).toEqual([]);
  });

  it('is decided quickly for long texts', () => {
    const long = `${'Oops! '.repeat(5_000)}${'page not '.repeat(5_000)}`;
    expect(IS_NOT_FOUND.test(long)).toBe(false);
  });
});
