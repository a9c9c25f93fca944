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
  /** Summary and description of each operation, by handler name. */
  readonly operations: OperationTexts;
  /** The groups of operations, in the order in which the page shows them. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The path of the page. The document is at `/json` and `/yaml` below it. */
const API_DOCS_PATH = '/api-docs';

/** The page loads nothing from other origins and runs no inline script. */
const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // swagger-ui sets one inline style attribute. The browser blocks it without its digest.
  'style-src': ["'self'", "'unsafe-hashes'", "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** Page and document are public and unencrypted. */
const PUBLIC: FastifyContextConfig = { access: 'public', audit: false, bypassEnvelope: true };

/**
 * Documents the interface (OPS-2): an OpenAPI document generated from the schemas and the `config` of the routes.
 * Register this plugin before every plugin that reads the `config` of routes, and before every route. Without it, the
 * paths do not exist.
 */
async function apiDocsPlugin(app: FastifyInstance, { config, operations, tags }: ApiDocsOptions): Promise<void> {
  if (app.hasRequestDecorator('audit')) throw new Error('api-docs: register it before @sallyport/audit-log');
  const bypassRoutes = [...DEFAULT_BYPASS_ROUTES, ...config['api.encryption.bypass-routes']];
  const routes: DocumentedRoute[] = [];

  app.addHook('onRoute', function noteRoute(route: RouteOptions) {
    if (isOwn(route)) {
      // Another plugin adds the routes of the page, without this `config`.
      route.config = { ...route.config, ...PUBLIC };
      return;
    }
    if (route.schema?.hide === true) return;
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
  // Generate the document once at startup, so that an error in it fails the start.
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

/** Matches `PATH` or `PATH METHOD`, with the method in any case. */
function isEntryFor(entry: string, method: string, url: string): boolean {
  const [path, only = method] = entry.split(' ');
  return path === url && only.toUpperCase() === method;
}

export const apiDocs = fp(apiDocsPlugin, { fastify: '5.x', name: 'api-docs' });

/** The page. Register it after the plugins that guard routes. */
async function apiDocsPagePlugin(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: API_DOCS_PATH,
    staticCSP: PAGE_POLICY,
    theme: { title: DOCUMENT_TITLE },
    uiConfig: { docExpansion: 'none', filter: true, persistAuthorization: false },
  });
}

export const apiDocsPage = fp(apiDocsPagePlugin, { fastify: '5.x', name: 'api-docs-page', dependencies: ['api-docs'] });
