// `by-require.cjs PACKAGE ENTRIES…`: loads every entry by `require()`, then plays the scenario of the package.
const scenarios = require('./scenarios.cjs');

const [name, ...entries] = process.argv.slice(2);
for (const entry of entries) require(entry);
scenarios[name]((specifier) => require(specifier)).then(() => process.stdout.write('works\n'));
