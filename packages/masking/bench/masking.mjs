// `tsc -b`, then `node packages/masking/bench/masking.mjs [rounds]`: microseconds per masked value (AUD-10), for the
// parameters of a typical audited request and for texts that need more work. With the path of another built
// `dist/index.js` as second argument, both are measured alternately and the last column is their ratio. It prints
// medians and asserts nothing, since results on a shared machine vary.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const MIN_MILLIS = 60;

const [rounds = '15', other] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(path)).href);
const here = await load('packages/masking/dist/index.js');
const masks = other === undefined ? [here] : [here, await load(other)];

const parameters = {
  params: { id: '018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e' },
  query: { page: '2', size: '50', sort: 'createdAt,desc', from: '2026-11-21T16:15:10.123Z' },
  body: {
    username: 'anna',
    displayName: 'Anna Schmidt',
    password: 'correct horse battery staple',
    mobile: '+8613800000000',
    email: 'anna.schmidt@example.org',
    amount: '12.50',
    currency: 'EUR',
    note: 'Rent for November, flat 12b: paid twice by mistake, please refund the second payment.',
    roles: ['018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9e', '018f4d3e-7c1a-7b2c-9d3e-4f5a6b7c8d9f'],
    permissions: ['api:admin:payments:read', 'api:admin:payments:create', 'api:admin:auth:clearLoginLimit'],
    enabled: true,
    items: [
      { name: 'Rent', quantity: 1, price: '12.00' },
      { name: 'Cleaning, monthly', quantity: 2, price: '0.25' },
    ],
  },
};
const agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const url = 'https://shop.example/cb?next=https%3A%2F%2Fh%2Fcb%3Ftoken%3Dhunter2%26page%3D2&state=open';
const cases = {
  'parameters of a request': ({ maskSensitive }) => maskSensitive(parameters),
  'path and User-Agent': ({ maskText }) => maskText('/admin/administrators') + maskText(agent),
  'free text of 1000 characters': ({ maskText }) => maskText(parameters.body.note.repeat(12).slice(0, 1000)),
  'URL in a URL with a token': ({ maskText }) => maskText(url),
  'JSON text of 900 characters': ({ maskText }) => maskText(JSON.stringify(parameters)),
};

function microsPerCall(run, mask) {
  const started = performance.now();
  let calls = 0;
  while (performance.now() - started < MIN_MILLIS) {
    for (let count = 0; count < 50; count += 1) run(mask);
    calls += 50;
  }
  return ((performance.now() - started) * 1000) / calls;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

for (const [name, run] of Object.entries(cases)) {
  const measured = masks.map(() => []);
  for (let round = 0; round <= Number(rounds); round += 1) {
    for (const [index, mask] of masks.entries()) {
      const micros = microsPerCall(run, mask);
      // The first round warms up.
      if (round > 0) measured[index].push(micros);
    }
  }
  const medians = measured.map(median);
  const ratio = medians.length > 1 ? `  ${(medians[0] / medians[1]).toFixed(2)}` : '';
  console.log(`${name.padEnd(30)}${medians.map((micros) => micros.toFixed(2).padStart(9)).join('')} µs${ratio}`);
}
