const component = (hooks, body) => `import { ${hooks} } from 'react';\nexport function A() { ${body} }`;

/** A violation of each lint rule of the console. */
export const FORBIDDEN_IN_CONSOLE = {
  'react/rules-of-hooks': component('useState', `if (A.name) useState(0); return null;`),
  'react/exhaustive-deps': `import { useEffect } from 'react';
    export function A({ a }: { a: string }) { useEffect(() => { document.title = a; }, []); return null; }`,
  'react/use-memo': component('useMemo', `return useMemo((a: number) => a, []);`),
  'react/void-use-memo': component('useMemo', `useMemo(() => { A(); }, []); return null;`),
  'react/refs': component('useRef', `const a = useRef(0); return <p>{a.current}</p>;`),
  'react/globals': `let a = 0;\nexport function A() { a = 1; return <p>{a}</p>; }`,
  'react/immutability': component(
    'useState',
    `const [a] = useState({ b: 1 }); a.b = 2; return <p>{a.b}</p>;`,
  ),
  'react/purity': `export function A() { return <p>{Math.random()}</p>; }`,
  'react/set-state-in-effect': component(
    'useEffect, useState',
    `const [a, setA] = useState(0); useEffect(() => { setA(1); }, []); return <p>{a}</p>;`,
  ),
  'react/set-state-in-render': component(
    'useState',
    `const [a, setA] = useState(0); setA(1); return <p>{a}</p>;`,
  ),
  'react/static-components': `export function A() { const B = () => <p />; return <B />; }`,
  'react/error-boundaries': `export function A() { try { return <p />; } catch { return null; } }`,
  'react/unsupported-syntax': `export function A() { eval('1'); return <p />; }`,
};
