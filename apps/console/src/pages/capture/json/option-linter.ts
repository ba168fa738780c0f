import { jsonParseLinter } from '@codemirror/lang-json';
import { syntaxTree } from '@codemirror/language';
import { linter, type Diagnostic } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { entryFault } from '../form/options-text.js';

const DELAY_MS = 200;

/** Marks where the text is not JSON, and each option that the API does not have or would refuse. */
export function optionLinter(): Extension {
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
