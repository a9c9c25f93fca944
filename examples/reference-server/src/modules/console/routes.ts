import { randomBytes } from 'node:crypto';
import { counterKey } from '@sallyport/client-ip';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import { NotFoundError } from '../../http/errors.js';
import type { App } from '../../http/module.js';
import { ABSENT_PAGE_POLICY, absentPage } from './absent-page.js';
import { readBuildState } from './build-state.js';
import { type ConsoleFile, openBuiltConsole } from './built-console.js';
import { CONSOLE_PATH, findConsoleFolder, isConsoleEnabled } from './console-folder.js';
import { chooseForm, hasForm } from './content-negotiation.js';
import { pagePolicy, SCRIPT_POLICY } from './page-policy.js';

export interface ConsoleDependencies {
  readonly config: Pick<Config, 'console.enabled' | 'console.session' | 'profile'>;
  /** The folder of the built console; null: that of its package. */
  readonly consoleFolder: string | null;
}

/** The placeholder that the build writes for the nonce of an answer. */
const NONCE_PLACE = '__CSP_NONCE__';
const NONCE_BYTES = 16;

/** The placeholder for where a sign-in counts. */
const SESSION_PLACE = '__CONSOLE_SESSION__';

/** The names of assets have a digest of their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * A page loads dozens of files, and a person may reload it repeatedly. Files are in memory, and sending one costs less
 * than refusing a request elsewhere.
 */
const FILE_COST = 0.1;

const PUBLIC = { access: 'public', audit: false, rateLimit: false, bypassEnvelope: true } as const;

/** Not a part of the interface, so the OpenAPI document omits it. */
const page = { config: PUBLIC, schema: { hide: true } } as const;
// The log line of the page is enough.
const file = { config: { ...PUBLIC, floodCost: FILE_COST }, schema: { hide: true }, logLevel: 'warn' } as const;

/** The console (CON-1). Without it, its paths and `/` do not exist. */
export async function consoleRoutes(app: App, { config, consoleFolder }: ConsoleDependencies): Promise<void> {
  if (!isConsoleEnabled(config)) return;
  const folder = consoleFolder ?? findConsoleFolder();
  const built = openBuiltConsole(folder);

  app.get('/', page, async function leadToConsole(_request, reply) {
    return reply.redirect(CONSOLE_PATH);
  });
  app.get('/console', page, async function completeConsolePath(_request, reply) {
    return reply.redirect(CONSOLE_PATH);
  });

  app.get<{ Params: { '*': string } }>('/console/assets/*', file, async function sendAsset(request, reply) {
    const found = await built.findFile(`assets/${request.params['*']}`);
    if (found === null) {
      // A miss reads the folder, and counts like any other request.
      app.floodGate.charge(counterKey(request.clientIp), 1 - FILE_COST);
      throw new NotFoundError();
    }
    return sendFile(request, reply.header('cache-control', FOREVER), found);
  });

  // The page decides what its other paths show.
  app.get<{ Params: { '*': string } }>('/console/*', page, async function sendConsole(request, reply) {
    const path = request.params['*'];
    const found = path === '' ? null : await built.findFile(path);
    if (found !== null) return sendFile(request, reply.header('cache-control', 'no-cache'), found);
    const html = await built.readPage();
    return html === null
      ? sendAbsence(reply, folder)
      : sendPage(reply, html.replaceAll(SESSION_PLACE, config['console.session']));
  });
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, found: ConsoleFile): FastifyReply {
  const { encoding, content, etag } = chooseForm(found, headers['accept-encoding']);
  reply.header('etag', etag).header('vary', 'Accept-Encoding');
  if (found.type.startsWith('text/javascript')) reply.header('content-security-policy', SCRIPT_POLICY);
  if (hasForm(headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.type(found.type).send(content);
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy(nonce))
    .send(html.replaceAll(NONCE_PLACE, nonce));
}

async function sendAbsence(reply: FastifyReply, folder: string): Promise<FastifyReply> {
  const { html, reloadSeconds } = absentPage(await readBuildState(folder));
  return reply
    .code(503)
    .headers({ 'retry-after': reloadSeconds, refresh: reloadSeconds, 'content-security-policy': ABSENT_PAGE_POLICY })
    .type('text/html; charset=utf-8')
    .send(html);
}
