// `play.mjs PACKAGE`: plays the scenario of a package, in a bundle or with the release of Fastify that FASTIFY names,
// and prints a line of JSON.
import { isOwnCode } from './laboratory.mjs';
import scenarios from './scenarios.cjs';

export async function play(name, load) {
  const result = await scenarios[name](load).then(
    () => ({ outcome: 'holds' }),
    (error) =>
      isOwnCode(error.code)
        ? { outcome: `refuses with ${error.code}`, detail: error.message }
        : { outcome: null, detail: error.stack },
  );
  process.stdout.write(`${JSON.stringify({ package: name, ...result })}\n`);
  process.exit(0);
}

const { FASTIFY: fastify } = process.env;
if (fastify !== undefined) {
  play(process.argv[2], (specifier) => import(specifier === 'fastify' ? fastify : specifier));
}
