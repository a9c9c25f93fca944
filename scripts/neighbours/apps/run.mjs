// `run.mjs NEIGHBOUR PACKAGES…`: tries the packages with a neighbour, and prints a line of JSON for each. With
// `POOLER`, the name of a driver, they keep what they know in the databases at DIRECT_URLS, which PgBouncer offers at
// POOLED_URLS: one for each package.
import { createLaboratory, isOwnCode } from './laboratory.mjs';
import { neighbours } from './neighbours.mjs';
import { protections } from './protections.mjs';
import { createPooledStores, memoryStores } from './stores.mjs';

/** How long a package may take, in milliseconds. The machine may be busy. */
const MAX_MILLIS = 90_000;

const MAX_LINES = 20;

const [neighbour, ...packages] = process.argv.slice(2);
const { POOLER: driver, DIRECT_URLS: direct = '', POOLED_URLS: pooled = '' } = process.env;

const storesOf = (index) =>
  driver === undefined
    ? memoryStores
    : createPooledStores(driver, { direct: direct.split(' ')[index], pooled: pooled.split(' ')[index] });

async function outcomeOf(name, laboratory) {
  try {
    return { outcome: await protections[name](laboratory) };
  } catch (error) {
    // The start, or a call of a package, is refused.
    if (isOwnCode(error.code)) return { outcome: `refuses with ${error.code}`, detail: error.message };
    return { outcome: null, detail: [error.stack, ...laboratory.log.slice(-MAX_LINES)].join('\n') };
  }
}

for (const [index, name] of packages.entries()) {
  const stores = await storesOf(index);
  const laboratory = createLaboratory({ neighbour: neighbours[neighbour], stores });
  const late = setTimeout(() => process.exit(1), MAX_MILLIS);
  const result = await outcomeOf(name, laboratory);
  clearTimeout(late);
  process.stdout.write(`${JSON.stringify({ package: name, ...result })}\n`);
  await laboratory.close();
  await stores.close();
}
process.exit(0);
