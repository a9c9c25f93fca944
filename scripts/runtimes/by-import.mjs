// `by-import.mjs PACKAGE ENTRIES…`: loads every entry by `import()`, then plays the scenario of the package.
import scenarios from './scenarios.cjs';

const [name, ...entries] = process.argv.slice(2);
for (const entry of entries) await import(entry);
await scenarios[name]((specifier) => import(specifier));
process.stdout.write('works\n');
