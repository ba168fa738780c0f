import { describe, expect, it } from '@jest/globals';
import { canonicalUrl, documentOf } from './target.js';

describe(canonicalUrl.name, () => {
  it.each([
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://example.com:80/%7Ea/../b?q#f', 'http://example.com/b?q#f'],
    ['http:\\\\example.com\\x', 'http://example.com/x'],
  ])('writes %s as a browser does', (text, expected) => {
    expect(canonicalUrl(text)).toBe(expected);
  });
});

describe(documentOf.name, () => {
  const base = '<base href="https://example.com/a/?x=1&amp;y=2">';
  const base_url = 'https://example.com/a/?x=1&y=2';

  it('leaves the html alone without a base_url', () => {
    expect(documentOf({ html: '<p>' })).toBe('<p>');
  });

  it.each([
    ['<p>text', `${base}<p>text`],
    ['<!doctype html><p>', `<!doctype html>${base}<p>`],
    ['<!DOCTYPE html>\n<html lang="de"><head><link>', `<!DOCTYPE html>\n<html lang="de"><head>${base}<link>`],
    ['<!-- note --><html><title>x', `<!-- note --><html>${base}<title>x`],
    ['<header>x</header>', `${base}<header>x</header>`],
  ])('puts the base of %j where the first link finds it', (html, expected) => {
    expect(documentOf({ html, base_url })).toBe(expected);
  });

  it("lets the document's own base stand", () => {
    const html = '<head><base href="/b/"></head>';
    expect(documentOf({ html, base_url })).toBe(html);
  });

  it('takes time that grows with the length only', () => {
    const html = `${'<!-- '.repeat(200_000)}`;
    expect(documentOf({ html, base_url })).toBe(base + html);
  });
});
