import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
import { linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { entryFault } from '../form/options-text.js';

interface JsonEditorProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The nonce with which this page may add styles. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

const THEME = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-xs)',
    border: '1px solid var(--console-border)',
    borderRadius: 'var(--mantine-radius-md)',
    backgroundColor: 'var(--console-surface)',
    color: 'var(--mantine-color-text)',
    minHeight: '240px',
    maxHeight: 'min(72vh, 900px)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    borderRight: '1px solid var(--console-border)',
    color: 'var(--mantine-color-dimmed)',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection': {
    backgroundColor: 'var(--mantine-primary-color-light-hover)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--console-border)',
  },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
});

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-text)', fontWeight: '500' },
  { tag: tags.string, color: 'light-dark(var(--mantine-color-teal-9), var(--mantine-color-teal-4))' },
  {
    tag: [tags.number, tags.bool, tags.null],
    color: 'light-dark(var(--mantine-color-indigo-7), var(--mantine-color-indigo-3))',
  },
]);

/** Edits the options as JSON. */
export default function JsonEditor({ text, onChange }: JsonEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ text, onChange });
  useEffect(() => {
    latest.current = { text, onChange };
    const shown = view.current?.state.doc.toString();
    if (view.current && shown !== text)
      view.current.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert: text } });
  }, [text, onChange]);
  useEffect(() => {
    const editor = new EditorView({
      parent: parent.current as HTMLElement,
      state: stateOf(latest.current.text, (next) => {
        if (next !== latest.current.text) latest.current.onChange(next);
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  return <div ref={parent} />;
}

function stateOf(doc: string, onText: (text: string) => void): EditorState {
  return EditorState.create({
    doc,
    extensions: [
      EditorView.cspNonce.of(nonce()),
      lineNumbers(),
      history(),
      bracketMatching(),
      json(),
      optionLinter(),
      lintGutter(),
      placeholder('{"url": "https://example.com/"}'),
      syntaxHighlighting(COLORS),
      THEME,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'Options as JSON' }),
      // Tab leaves the editor, as it does with every other field. Ctrl-Enter captures.
      keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) onText(state.doc.toString());
      }),
    ],
  });
}

const DELAY_MS = 200;

/** Marks where the text is not JSON, and each option that the API does not have or would refuse. */
function optionLinter(): Extension {
  const parse = jsonParseLinter();
  return linter(
    (view: EditorView): Diagnostic[] => {
      if (view.state.doc.toString().trim() === '') return [];
      const syntax = parse(view);
      return syntax.length > 0 ? syntax : entryFaults(view.state);
    },
    { delay: DELAY_MS },
  );
}

function entryFaults(state: EditorState): Diagnostic[] {
  const found: Diagnostic[] = [];
  const object = syntaxTree(state).topNode.getChild('Object');
  for (const property of object?.getChildren('Property') ?? []) {
    const name = property.getChild('PropertyName');
    const value = property.lastChild;
    if (!name || !value) continue;
    const fault = entryFault(parsed(state, name) as string, parsed(state, value));
    if (fault !== undefined) found.push({ from: name.from, to: value.to, severity: 'error', message: fault });
  }
  return found;
}

function parsed(state: EditorState, { from, to }: { readonly from: number; readonly to: number }): unknown {
  return JSON.parse(state.sliceDoc(from, to));
}
