// Counts the statements that drizzle sends, and the queries that it builds.
import { AsyncLocalStorage } from 'node:async_hooks';
import { SQL } from 'drizzle-orm';
import { PgPreparedQuery } from 'drizzle-orm/pg-core';

/**
 * `begin` and `commit` are not counted as statements: the driver sends `begin` together with the first one.
 * @typedef {object} Sent
 * @property {readonly string[]} statements
 * @property {number} transactions of several statements, which committed
 * @property {readonly string[]} built the queries that drizzle built instead of sending a rendered one
 * @typedef {{ readonly route: string } & Sent} RouteStatements
 */

/** The parameters are read again after some seconds, in whichever request. */
const OF_ALL_REQUESTS = /^select [^(]* from "system_parameters"/;

const COMMIT = 'commit and chain';

/**
 * Records the statements of one request at a time, without those that serve every request, and without those that a
 * timer of the server sends meanwhile.
 * @returns {{ during: <Result>(request: () => Result) => Result, take: () => Sent, stop: () => void }}
 * `during` sends the request, and `take` returns what was sent and built since the last call
 */
export function countStatements() {
  /** @type {string[]} */
  let texts = [];
  /** @type {string[]} */
  let built = [];
  /** @type {AsyncLocalStorage<object>} */
  const context = new AsyncLocalStorage();
  let current = {};
  const isOurs = () => context.getStore() === current;
  const { buildQueryFromSourceParams } = SQL.prototype;
  const { queryWithCache } = PgPreparedQuery.prototype;
  SQL.prototype.buildQueryFromSourceParams = function noteBuild(chunks, config) {
    const query = buildQueryFromSourceParams.call(this, chunks, config);
    if (isOurs()) built.push(query.sql);
    return query;
  };
  PgPreparedQuery.prototype.queryWithCache = function noteStatement(text, ...given) {
    if (isOurs() && !OF_ALL_REQUESTS.test(text)) texts.push(text);
    return queryWithCache.call(this, text, ...given);
  };
  return {
    during(request) {
      current = {};
      return context.run(current, request);
    },
    take() {
      const statements = texts.filter((text) => text !== COMMIT);
      const sent = { statements, transactions: texts.length - statements.length, built };
      texts = [];
      built = [];
      return sent;
    },
    stop() {
      Object.assign(SQL.prototype, { buildQueryFromSourceParams });
      Object.assign(PgPreparedQuery.prototype, { queryWithCache });
    },
  };
}

/**
 * Formats the table as it appears in the README.
 * @param {readonly RouteStatements[]} rows
 */
export function statementTable(rows) {
  const width = Math.max(...rows.map(({ route }) => route.length));
  const cells = rows.map(
    ({ route, statements, transactions }) =>
      `| ${route.padEnd(width)} | ${String(statements.length).padStart(10)} | ${String(transactions).padStart(12)} |`,
  );
  const rule = `| ${'-'.repeat(width)} | ${'-'.repeat(9)}: | ${'-'.repeat(11)}: |`;
  return [`| ${'request'.padEnd(width)} | statements | transactions |`, rule, ...cells].join('\n');
}
