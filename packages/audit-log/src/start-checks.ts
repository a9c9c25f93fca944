import type { FastifyInstance } from 'fastify';

/** Routes that were there before the plugin, as Fastify prints them: they would go unrecorded. One for OPTIONS alone, of @fastify/cors, does nothing that could be. */
export function earlierRoutes(fastify: FastifyInstance): string[] {
  const lines = fastify.printRoutes({ commonPrefix: false }).split('\n');
  return lines
    .map((line) => line.replace(/^[│├└─\s]+/, ''))
    .filter((line) => line.endsWith(')') && !line.endsWith(' (OPTIONS)') && line !== '(empty tree)');
}

/** One fault for all routes without a decision, and one for each wrong decision. The HEAD route that Fastify derives has its GET route's. */
export function undecidedFaults(routeFaults: ReadonlyMap<string, string>): string[] {
  const own = [...routeFaults].filter(
    ([route]) => !route.startsWith('HEAD ') || !routeFaults.has(route.replace('HEAD ', 'GET ')),
  );
  const undecided = own.filter(([, fault]) => fault === 'no decision').map(([route]) => route);
  const wrong = own.filter(([, fault]) => fault !== 'no decision');
  return [
    ...(undecided.length > 0
      ? [`routes without config.audit (give a resource such as 'payment', or false): ${undecided.join(', ')}`]
      : []),
    ...wrong.map(([route, fault]) => `${route}: config.audit ${fault}`),
  ];
}
