import path from 'node:path';

/** Fonts that stand in for those that pages ask for and Linux lacks: same widths, so lines break at the same words. */
const STAND_INS = {
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

/** A fontconfig file: the system's own settings where there are any, and the fonts unpacked in `home`. */
export function fontsConf({ home, systemConf, userFonts }) {
  const folders = [
    '/usr/share/fonts',
    '/usr/local/share/fonts',
    userFonts,
    path.join(home, 'packages/usr/share/fonts'),
  ];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">${escape(systemConf)}</include>
${folders.map((folder) => `  <dir>${escape(folder)}</dir>`).join('\n')}
  <cachedir>${escape(path.join(home, 'cache'))}</cachedir>
${Object.entries(STAND_INS)
  .map(([family, standIn]) =>
    alias({ family, kind: 'accept', families: [standIn], binding: ' binding="same"' }),
  )
  .join('\n')}
${Object.entries(GENERIC)
  .map(([family, preferred]) => alias({ family, kind: 'prefer', families: preferred }))
  .join('\n')}
</fontconfig>
`;
}

function alias({ family, kind, families, binding = '' }) {
  const list = families.map((name) => `<family>${escape(name)}</family>`).join('');
  return `  <alias${binding}><family>${escape(family)}</family><${kind}>${list}</${kind}></alias>`;
}

const escape = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
