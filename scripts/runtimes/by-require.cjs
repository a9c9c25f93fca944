// `by-require.cjs PACKAGES`: as `by-import.mjs`, by `require()`.
const scenarios = require('./scenarios.cjs');

async function play() {
  for (const [name, ...entries] of JSON.parse(process.argv[2])) {
    for (const entry of entries) require(entry);
    await scenarios[name]((specifier) => require(specifier));
    process.stdout.write(`${name} works\n`);
  }
}

play();
