// Writes the generated sources of the kernel: `node kernel/generate/main.mjs`.
import { writeFileSync } from 'node:fs';
import { fieldConstants } from './field-constants.mjs';
import { fieldProducts } from './field-products.mjs';
import { sm4Tables } from './sm4-tables.mjs';
import { tableScan } from './table-scan.mjs';

/** The generated files of `kernel/assembly/generated`, each with its text. */
export function generatedSources() {
  return {
    'field-constants.ts': fieldConstants(),
    'field-products.ts': fieldProducts(),
    'sm4-tables.ts': sm4Tables(),
    'table-scan.ts': tableScan(),
  };
}

export function writeGeneratedSources() {
  for (const [name, text] of Object.entries(generatedSources())) {
    writeFileSync(new URL(`../assembly/generated/${name}`, import.meta.url), text);
  }
}
