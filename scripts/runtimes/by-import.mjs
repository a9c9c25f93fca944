// `by-import.mjs PACKAGES`: loads every entry of each by `import()`, then plays its scenario. The packages are JSON:
// lists of a name and entries.
import scenarios from './scenarios.cjs';

for (const [name, ...entries] of JSON.parse(process.argv[2])) {
  for (const entry of entries) await import(entry);
  await scenarios[name]((specifier) => import(specifier));
  process.stdout.write(`${name} works\n`);
}
