import type { OperationText, OperationTexts } from '../../http/operation-text.js';
import { completeOperation, type Operation } from './complete-operation.js';
import { components } from './components.js';
import type { DocumentedRoute } from './documented-route.js';

type PathItem = Readonly<Record<string, Operation>>;

/** The document that @fastify/swagger generates from the schemas. */
export interface SchemaDocument {
  readonly paths?: Readonly<Record<string, PathItem>>;
}

const DESCRIPTION = `
Bodies are JSON. A success is \`{ "data": … }\`, a list also has \`"page"\`. Times are milliseconds since the Unix epoch. Unknown properties and values of another type are refused. \`HEAD\` works wherever \`GET\` does, apart from the export of the audit log and the download by ticket.

**Refusals** are \`application/problem+json\`. \`code\` is stable; \`detail\` is in the language of \`Accept-Language\`. An unknown path is refused as any other route would be: 401 without a token, then 404 \`NOT_FOUND\`. Before routing, the server refuses with 400 \`REQUEST_MALFORMED\` and \`URL_MALFORMED\`, 408 \`REQUEST_TIMEOUT\`, 431 \`HEADERS_TOO_LARGE\`.

**Order**: token, permission, rate limit, encryption policy, body, schema, idempotency, then the operation.

**Encryption** (SM2 and SM4-GCM): in the modes OPTIONAL and REQUIRED a client seals its request into an envelope (\`Envelope\`), as the body or as the only query parameter \`__enc\`, with the header \`Api-Encryption: v1\`; the answer is sealed too (\`SealedAnswer\`). REQUIRED refuses plaintext requests, except for the operations marked as unencrypted. Mode OFF ignores envelopes. \`GET /encryption/public-key\` returns the mode and the key.

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
 * Completes the generated document with the `config` and the texts of each route.
 *
 * @throws {TypeError} naming every route without a text
 */
export function completeDocument(
  document: SchemaDocument,
  routes: readonly DocumentedRoute[],
  texts: OperationTexts,
): SchemaDocument {
  const untold = routes.filter((route) => textOf(route, texts) === undefined).map(nameOf);
  if (untold.length > 0) throw new TypeError(`routes without a text in the API documentation: ${untold.join(', ')}`);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = document.paths?.[path]?.[method];
    const text = textOf(route, texts);
    if (operation === undefined || text === undefined) continue;
    paths[path] = { ...paths[path], [method]: completeOperation(operation, route, text) };
  }
  // Copies shared objects: YAML would write them as aliases, which are hard to read.
  return JSON.parse(JSON.stringify({ ...document, paths }));
}

const nameOf = ({ method, url }: DocumentedRoute) => `${method} ${url}`;

function textOf(route: DocumentedRoute, texts: OperationTexts): OperationText | undefined {
  return texts[nameOf(route)];
}
