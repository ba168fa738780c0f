import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './data-folder.mjs';
import { fontsConf } from './fonts-conf.mjs';
import { systemsWithout } from './installed-fonts.mjs';
import { FONT_PACKAGES, lettersOf, WRITING_SYSTEMS } from './writing-systems.mjs';

const namesWithout = (fonts) => systemsWithout(fonts).map(({ name }) => name);
const all = WRITING_SYSTEMS.map(({ name }) => name);

describe('fontsConf', () => {
  it('includes the settings of the system and escapes paths', () => {
    const conf = fontsConf({
      home: '/a & b',
      systemConf: '/etc/fonts/fonts.conf',
      userFonts: '/home/me/fonts',
    });
    expect(conf).toContain('<include ignore_missing="yes">/etc/fonts/fonts.conf</include>');
    expect(conf).toContain('<dir>/a &amp; b/packages/usr/share/fonts</dir>');
  });
});

describe('systemsWithout', () => {
  it('takes a font of the first and the last syllable for no font of Korean', () => {
    // Droid Sans Fallback of Debian 12.
    expect(namesWithout(['Droid Sans Fallback\tFalse\t20 ac00 d7a2-d7a3'])).toContain('Korean');
    expect(namesWithout(['Nanum Gothic\tFalse\t20-7e ac00-d7a3'])).not.toContain('Korean');
  });

  it('asks for marks besides letters', () => {
    expect(namesWithout(['Lohit\tFalse\t20 915-939'])).toContain('Devanagari');
    expect(namesWithout(['Lohit\tFalse\t20 900-97f'])).not.toContain('Devanagari');
  });

  it('asks for one font with all letters of a word', () => {
    expect(namesWithout(['A\tFalse\t20 400-44f', 'B\tFalse\t20 450-4ff'])).toContain('Cyrillic');
  });

  it('asks for emoji in colours, and for the widths of Arial', () => {
    expect(namesWithout(['DejaVu Sans\tFalse\t20-24f 1f300-1f6ff'])).toEqual(
      expect.arrayContaining(['Latin', 'emoji']),
    );
    const fonts = ['Arial,Arial Nova\tFalse\t20-24f', 'Noto Color Emoji\tTrue\t1f300-1f6ff'];
    expect(namesWithout(fonts)).not.toContain('Latin');
    expect(namesWithout(fonts)).not.toContain('emoji');
  });

  it('wants all of them where fontconfig has no list', () => {
    expect(namesWithout(undefined)).toEqual(all);
    expect(namesWithout([])).toEqual(all);
  });
});

describe('the writing systems', () => {
  it('have fonts from the packages that the image installs', () => {
    const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
    expect(dockerfile.match(/(?<= {4})fonts-[a-z-]+/g)).toEqual(FONT_PACKAGES);
  });

  it('are looked for by several letters', () => {
    for (const system of WRITING_SYSTEMS) expect(lettersOf(system).length).toBeGreaterThan(1);
    expect(lettersOf(WRITING_SYSTEMS.find(({ name }) => name === 'Sinhala'))).not.toContain('\u200d');
  });
});
