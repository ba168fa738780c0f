import { describe, expect, it } from '@jest/globals';
import { pictureCodes, protocolOf } from './pictures.js';

describe('pictures in a terminal', () => {
  it.each([
    [{ KITTY_WINDOW_ID: '1', TERM: 'xterm-kitty' }, 'kitty'],
    [{ TERM: 'xterm-ghostty' }, 'kitty'],
    [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
    [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'iterm2'],
    [{ TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
    [{ TERM: 'xterm-256color' }, undefined],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, undefined],
    [{ KITTY_WINDOW_ID: '1', TERM: 'screen-256color' }, undefined],
    [{ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/tmux-1000/default,1,0' }, undefined],
    [{}, undefined],
  ])('follow %j', (env, protocol) => {
    expect(protocolOf(env)).toBe(protocol);
  });

  it('are transmitted to kitty in pieces of at most 4,096 characters, of which all but the last say that more follow', () => {
    const bytes = Buffer.alloc(10_000, 'picture');
    const pieces = [...pictureCodes('kitty', bytes).matchAll(/_G([^;]*);([^\\]*?).\\/gs)];
    expect(pieces.map(([, keys]) => keys)).toEqual(['a=T,f=100,q=2,m=1', 'm=1', 'm=1', 'm=0']);
    expect(pieces.every(([, , base64 = '']) => base64.length <= 4_096)).toBe(true);
    expect(Buffer.from(pieces.map(([, , base64]) => base64).join(''), 'base64')).toEqual(bytes);
  });
});
