import { Choice } from '@app/kernel';
import { FORMAT_NAMES, type Format } from '../formats/index.js';
import { defineFamily } from '../pipeline/family.js';

export class OutputOptions {
  @Choice(FORMAT_NAMES, 'Format of the file.')
  format: Format = 'png';
}

export const output = defineFamily({ name: 'output', doc: 'The format of the file.' }, OutputOptions);
