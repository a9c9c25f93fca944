import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { DEFAULT_BYPASS_ROUTES } from '@sallyport/envelope-crypto';
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { Config } from '../../config/config.js';
import type { OperationTexts } from '../../http/operation-text.js';
import type { DocumentedRoute } from './documented-route.js';
import { completeDocument, DOCUMENT_TITLE, documentBase, type SchemaDocument } from './openapi-document.js';

export interface ApiDocsOptions {
  readonly config: Pick<Config, 'api.encryption.bypass-routes'>;
  /** What people read of each route. */
  readonly operations: OperationTexts;
  /** What the operations are grouped by, in the order of the page. */
  readonly tags: Readonly<Record<string, string>>;
}

/** Where the page is. The document is at `/json` and `/yaml` below it. */
const API_DOCS_PATH = '/api-docs';

/** Everything is the server's own: the page loads nothing from elsewhere and runs nothing that stands in it. */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // One attribute that swagger-ui writes as text: without its digest the browser complains.
  'style-src': ["'self'", "'unsafe-hashes'", "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** The page and the document are for everybody, in the clear. */
const PUBLIC: FastifyContextConfig = { access: 'public', audit: false, bypassEnvelope: true };

/**
 * The documentation of the interface (OPS-2): an OpenAPI document made of the schemas and `config` of the routes.
 * Register it before whatever looks at the `config` of routes, and before every route. Where it isn't registered there
 * is no such path.
 */
async function apiDocsPlugin(app: FastifyInstance, { config, operations, tags }: ApiDocsOptions): Promise<void> {
  if (app.hasRequestDecorator('audit')) throw new Error('api-docs: register it before @sallyport/audit-log');
  const bypassRoutes = [...DEFAULT_BYPASS_ROUTES, ...config['api.encryption.bypass-routes']];
  const routes: DocumentedRoute[] = [];

  app.addHook('onRoute', function noteRoute(route: RouteOptions) {
    if (isOwn(route)) {
      // The page's routes are another plugin's, which knows nothing of their `config`.
      route.config = { ...route.config, ...PUBLIC };
      return;
    }
    for (const method of [route.method].flat()) {
      if (method === 'HEAD' || method === 'OPTIONS') continue;
      routes.push(documentedRoute(route, method, bypassRoutes));
    }
  });

  await app.register(swagger, {
    openapi: documentBase(tags) as unknown as NonNullable<swagger.FastifyDynamicSwaggerOptions['openapi']>,
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new TypeError('the document is OpenAPI 3.1');
      const document = made.openapiObject as unknown as SchemaDocument;
      return completeDocument(document, routes, operations) as unknown as typeof made.openapiObject;
    },
  });
  // A fault of the document shows at the start.
  app.addHook('onReady', async () => void app.swagger());
}

function isOwn({ url }: RouteOptions): boolean {
  return url === API_DOCS_PATH || url.startsWith(`${API_DOCS_PATH}/`);
}

function documentedRoute(route: RouteOptions, method: string, bypassRoutes: readonly string[]): DocumentedRoute {
  const { url, config = {}, schema = {}, handler } = route;
  return {
    method,
    url,
    config,
    schema,
    handlerName: handler.name,
    isInTheClear: config.bypassEnvelope === true || bypassRoutes.some((entry) => isEntryFor(entry, method, url)),
  };
}

/** `PATH` or `PATH METHOD`, the method in any case. */
function isEntryFor(entry: string, method: string, url: string): boolean {
  const [path, only = method] = entry.split(' ');
  return path === url && only.toUpperCase() === method;
}

export const apiDocs = fp(apiDocsPlugin, { fastify: '5.x', name: 'api-docs' });

/** The page. Register it behind whatever guards routes. */
async function apiDocsPagePlugin(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: API_DOCS_PATH,
    staticCSP: PAGE_POLICY,
    theme: { title: DOCUMENT_TITLE },
    uiConfig: { docExpansion: 'none', filter: true, persistAuthorization: false },
  });
}

export const apiDocsPage = fp(apiDocsPagePlugin, { fastify: '5.x', name: 'api-docs-page', dependencies: ['api-docs'] });
