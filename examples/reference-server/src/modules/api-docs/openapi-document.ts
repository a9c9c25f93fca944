import type { OperationText, OperationTexts } from '../../http/operation-text.js';
import { type CompletedOperation, completeOperation, type Operation } from './complete-operation.js';
import { components, problemSchema } from './components.js';
import type { DocumentedRoute } from './documented-route.js';
import { createNamedSchemas } from './named-schemas.js';
import { createRefusalAnswers } from './refusal-answers.js';
import { ANYWHERE } from './route-refusals.js';
import { shareParameters } from './shared-parameters.js';

type PathItem = Readonly<Record<string, Operation>>;

/** The document that @fastify/swagger generates from the schemas. */
export interface SchemaDocument {
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: object;
}

const DESCRIPTION = `
Bodies are JSON. A success is \`{ "data": … }\`, a list also has \`"page"\`. Times are milliseconds since the Unix epoch. Every answer has the header \`X-Request-Id\`, which identifies the request in the log and in the audit log. Unknown properties and values of another type are refused. \`HEAD\` works wherever \`GET\` does, apart from the stream of activity, the export of the audit log and the download by ticket.

**Refusals** are \`application/problem+json\`. \`code\` is stable: each operation lists its codes, and the schema \`Problem\` says what they mean. \`detail\` is in the language of \`Accept-Language\`. An unknown path is refused as any other route would be: 401 without a token, then 404 \`NOT_FOUND\`. Before routing, the server refuses with 400 \`REQUEST_MALFORMED\` and \`URL_MALFORMED\`, 408 \`REQUEST_TIMEOUT\`, 431 \`HEADERS_TOO_LARGE\`.

**Order**: token, permission, rate limit, encryption policy, body, schema, idempotency, then the operation.

**Encryption** (SM2 and SM4-GCM) is a transport, described in \`docs/envelope-v1.md\`. The schemas below are those of the plaintext, in every encryption mode. In the modes OPTIONAL and REQUIRED a client seals its request into an envelope, a JSON object with \`kid\`, \`ts\`, \`nonce\`, \`ek\`, \`iv\` and \`ct\`, and sends the header \`Api-Encryption: v1\`. The envelope takes the place of the body; a request without a body has its base64url as the only query parameter, \`__enc\`. Once the envelope is accepted, JSON answers are sealed too, problems included: \`application/json\` with \`ts\`, \`nonce\`, \`iv\` and \`ct\`, and the same header. Of a stream of events the \`data\` of each event is such an object. An answer without the header is no envelope: a refusal before that, a 204, an answer to \`HEAD\`, a file. REQUIRED refuses plaintext requests, except for the operations marked as unencrypted. Mode OFF ignores envelopes. \`GET /encryption/public-key\` returns the mode and the key.

**Idempotency**: a write with an \`Idempotency-Key\` (a UUID) takes effect once for each key. A retry has the same key and content, and a new envelope.
`.trim();

/** The name of the document, and of its page. */
export const DOCUMENT_TITLE = 'Sallyport reference server';

/**
 * The document without its paths.
 *
 * @param tags descriptions by name, in the order of the page
 */
export function documentBase(tags: Readonly<Record<string, string>>) {
  return {
    openapi: '3.1.0',
    info: {
      title: DOCUMENT_TITLE,
      version: '1',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components,
  };
}

/**
 * Completes the generated document with the `config` and the texts of each route, and with the components that the
 * operations share.
 *
 * @throws {TypeError} naming every route without a text; naming every body or answer without a name, and every name of
 * two schemas
 */
export function completeDocument(
  document: SchemaDocument,
  routes: readonly DocumentedRoute[],
  texts: OperationTexts,
): SchemaDocument {
  const untold = routes.filter((route) => textOf(route, texts) === undefined).map(nameOf);
  if (untold.length > 0) throw new TypeError(`routes without a text in the API documentation: ${untold.join(', ')}`);
  const shared = { schemas: createNamedSchemas(), refusals: createRefusalAnswers(ANYWHERE) };
  const operations: { path: string; method: string; operation: CompletedOperation }[] = [];
  const faults: Error[] = [];
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const made = document.paths?.[path]?.[method];
    const text = textOf(route, texts);
    if (made === undefined || text === undefined) continue;
    try {
      operations.push({ path, method, operation: completeOperation(made, route, text, shared) });
    } catch (error) {
      faults.push(error as Error);
    }
  }
  if (faults.length > 0) {
    const list = faults.map(({ message }) => message).join('\n');
    throw new TypeError(`in the API documentation:\n${list}`, { cause: faults[0] });
  }

  const parameters = shareParameters(
    operations.map(({ operation }) => operation.parameters),
    components.parameters,
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [index, { path, method, operation }] of operations.entries()) {
    paths[path] = { ...paths[path], [method]: { ...operation, parameters: parameters.operations[index] } };
  }
  const schemas = { ...components.schemas, ...problemSchema(shared.refusals.table()), ...shared.schemas.all() };
  const responses = shared.refusals.components();
  // Copies shared objects: YAML would write them as aliases, which are hard to read.
  return JSON.parse(
    JSON.stringify({
      ...document,
      components: { ...components, schemas, responses, parameters: parameters.components },
      paths,
    }),
  );
}

const nameOf = ({ method, url }: DocumentedRoute) => `${method} ${url}`;

function textOf(route: DocumentedRoute, texts: OperationTexts): OperationText | undefined {
  return texts[nameOf(route)];
}
