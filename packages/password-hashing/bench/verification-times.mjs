// `node packages/password-hashing/bench/verification-times.mjs [rounds]`, after `pnpm build`: what one hash of each
// cost takes, and whether the time of a verification reveals what is stored (PWD-3, ADM-3). The kinds take turns. It
// asserts nothing, because timings on a shared machine are unreliable; the tests count the work instead.
import { createPasswordHashing } from '@sallyport/password-hashing';

const ROUNDS = Number(process.argv[2] ?? 40);
const COST = 10;

const median = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];

async function millisOf(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

process.stdout.write('| cost | median of 5 hashes |\n| ---- | ------------------ |\n');
for (let cost = 10; cost <= 15; cost += 1) {
  const passwords = createPasswordHashing({ cost, threads: 1, maxTaskMillis: 60_000 });
  await passwords.hash('warm');
  const times = [];
  for (let round = 0; round < 5; round += 1) times.push(await millisOf(() => passwords.hash('correct horse')));
  process.stdout.write(`| ${cost} | ${Math.round(median(times))} ms |\n`);
  await passwords.close();
}

const passwords = createPasswordHashing({ cost: COST, threads: 1 });
const lower = createPasswordHashing({ cost: COST - 3, threads: 1 });
const stored = await passwords.hash('correct horse');
const kinds = {
  'unknown account': null,
  'wrong password': stored,
  'wrong password, hash of lower cost': await lower.hash('correct horse'),
  'hash of unknown version': stored.replace('$2b$', '$2x$'),
  'hash of cost 31': stored.replace('$10$', '$31$'),
  'a text that is no hash': 'x',
};
const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
await passwords.verify('warm', null);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [kind, hash] of Object.entries(kinds)) {
    times[kind].push(await millisOf(() => passwords.verify('wrong', hash)));
  }
}
process.stdout.write(`\n| verification at cost ${COST} | median of ${ROUNDS} |\n| --- | --- |\n`);
for (const kind of Object.keys(kinds)) process.stdout.write(`| ${kind} | ${median(times[kind]).toFixed(1)} ms |\n`);
await Promise.all([passwords.close(), lower.close()]);
