import path from 'node:path';

/** Fonts that replace those that pages ask for and Linux lacks; with the same widths, so that lines break at the same words. */
const REPLACEMENTS = {
  Arial: 'Liberation Sans',
  Helvetica: 'Liberation Sans',
  'Times New Roman': 'Liberation Serif',
  Times: 'Liberation Serif',
  'Courier New': 'Liberation Mono',
  Courier: 'Liberation Mono',
};

const GENERIC = {
  'sans-serif': ['Liberation Sans', 'DejaVu Sans'],
  serif: ['Liberation Serif', 'DejaVu Serif'],
  monospace: ['Liberation Mono', 'DejaVu Sans Mono'],
  'system-ui': ['Liberation Sans', 'DejaVu Sans'],
  emoji: ['Noto Color Emoji'],
};

/**
 * A fontconfig file: the settings of the system where there are any, and the fonts that were unpacked in `home`. The first
 * folder for the index that the browser may write to gets it.
 *
 * @param {{ home: string, systemConf: string, userFonts: string }} options
 */
export function fontsConf({ home, systemConf, userFonts }) {
  const unpacked = path.join(home, 'packages/usr/share/fonts');
  const folders = ['/usr/share/fonts', '/usr/local/share/fonts', userFonts, unpacked];
  const replacements = Object.entries(REPLACEMENTS).map(([family, replacement]) =>
    alias({ family, kind: 'accept', families: [replacement], binding: ' binding="same"' }),
  );
  const generic = Object.entries(GENERIC).map(([family, families]) =>
    alias({ family, kind: 'prefer', families }),
  );
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <cachedir>${escape(path.join(home, 'cache'))}</cachedir>
  <include ignore_missing="yes">${escape(systemConf)}</include>
${folders.map((folder) => `  <dir>${escape(folder)}</dir>`).join('\n')}
${DEFAULT_FAMILY}
${[...replacements, ...generic].join('\n')}
</fontconfig>
`;
}

/**
 * What has no generic family gets sans-serif, as in the settings of every distribution (49-sansserif.conf). Without it the order
 * of the files would decide which font a letter is drawn with that the page's own fonts lack.
 */
const DEFAULT_FAMILY = `  <match target="pattern">
${['sans-serif', 'serif', 'monospace', 'system-ui', 'emoji'].map((name) => `    <test qual="all" name="family" compare="not_eq"><string>${name}</string></test>`).join('\n')}
    <edit name="family" mode="append_last"><string>sans-serif</string></edit>
  </match>`;

/** @param {{ family: string, kind: 'accept' | 'prefer', families: string[], binding?: string }} options */
function alias({ family, kind, families, binding = '' }) {
  const list = families.map((name) => `<family>${escape(name)}</family>`).join('');
  return `  <alias${binding}><family>${escape(family)}</family><${kind}>${list}</${kind}></alias>`;
}

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
