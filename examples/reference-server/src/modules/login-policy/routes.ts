import { PermissionDeniedError } from '@sallyport/auth-tokens';
import { Type } from 'typebox';
import { ipAddressFormat } from '../../http/body-formats.js';
import { closedText } from '../../http/closed-text.js';
import { ignoreEmptyMembers } from '../../http/empty-members.js';
import { cursorInvalid, cursorListOf, cursorQuery, oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { username } from '../../http/name-schemas.js';
import type { SmsCodes } from '../one-time-codes/index.js';
import { clearLimits } from './clearing.js';
import { showLock } from './shown-lock.js';
import { accountOf, allTerminals, type Policies, type TerminalSettings, terminalOf } from './terminals.js';

export interface LoginPolicyDependencies {
  readonly config: TerminalSettings;
  /** The limits on the codes of an app user. Clearing also ends them (OTC-2). */
  readonly codes: Pick<SmsCodes, 'clear' | 'explain'>;
}

/** An item of a list, as the store takes it. */
const CURSOR = /^[ -~]{1,500}$/;

const clientIp = Type.String({ format: ipAddressFormat });

/** The kind of a counter: failures of a name at an address, of a name, of an address, or of a known device. */
const counterKind = closedText('subject', 'account', 'ip', 'device');

const stillLocked = Type.Object(
  {
    counter: counterKind,
    address: Type.Union([Type.String(), Type.Null()]),
    lockedUntil: Type.Integer(),
  },
  { title: 'LockedAddress' },
);

const cleared = Type.Object({ stillLocked: Type.Array(stillLocked) }, { title: 'ClearedLimits' });

const counter = Type.Object(
  {
    counter: counterKind,
    address: Type.Union([Type.String(), Type.Null()]),
    limit: Type.Integer(),
    state: closedText('counting', 'locked'),
    failures: Type.Optional(Type.Integer()),
    inFlight: Type.Optional(Type.Integer()),
    windowEndsAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    lockedUntil: Type.Optional(Type.Integer()),
  },
  { title: 'LoginCounter' },
);

const presentLock = Type.Object(
  {
    audience: closedText('admin', 'app'),
    username: Type.Union([Type.String(), Type.Null()]),
    terminal: Type.String(),
    clientIp: Type.String(),
    scope: closedText('subject', 'account', 'ip'),
    lockedUntil: Type.Integer(),
  },
  { title: 'PresentLock' },
);

const codeLimit = closedText(
  'send-captcha',
  'slow-messages',
  'message-interval',
  'check-captcha',
  'long-codes-only',
  'long-codes-only-overall',
  'long-codes-overall',
);

/** The limits on the codes of a number (OTC-1, OTC-2). */
const codeLimits = Type.Object(
  {
    liveCodes: Type.Integer(),
    messages: Type.Integer(),
    wrongCodes: Type.Integer(),
    limits: Type.Array(Type.Object({ limit: codeLimit, until: Type.Integer() })),
  },
  { title: 'CodeLimits' },
);

const explanation = Type.Object(
  {
    username: Type.String(),
    terminal: Type.String(),
    lockedUntil: Type.Union([Type.Integer(), Type.Null()]),
    counters: Type.Array(counter),
    devices: Type.Object({ known: Type.Integer(), locked: Type.Integer() }),
    codes: Type.Optional(codeLimits),
  },
  { title: 'LoginLimitExplanation' },
);

/**
 * `POST /admin/auth/clearLoginLimit` (ADM-6, LGN-11), `GET /admin/login-policy/explain` (LGN-10), whose answer is the
 * same for unknown names of administrators, and `GET /admin/login-policy/locks` (API-5).
 */
export async function loginPolicyRoutes(app: App, { config, codes }: LoginPolicyDependencies): Promise<void> {
  const policies: Policies = { admin: app.loginPolicy, app: app.appLoginPolicy };
  const terminal = terminalOf(allTerminals(config));

  const limitsToClear = Type.Object(
    {
      username: Type.Optional(username),
      terminal: Type.Optional(terminal),
      clientIp: Type.Optional(clientIp),
    },
    {
      title: 'LimitsToClear',
      additionalProperties: false,
      anyOf: [{ required: ['username'] }, { required: ['clientIp'] }],
    },
  );

  async function explainCodes(mobile: string) {
    const { liveCodes, messages, wrongCodes, limits } = await codes.explain(mobile);
    return { liveCodes, messages, wrongCodes, limits: [...limits] };
  }

  app.post(
    '/admin/auth/clearLoginLimit',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:auth:clearLoginLimit',
        audit: { action: 'auth.clear-login-limit' },
      },
      preValidation: ignoreEmptyMembers(limitsToClear),
      schema: {
        body: limitsToClear,
        response: { 200: oneOf(cleared) },
      },
    },
    async function clearLoginLimit(request) {
      const { username, terminal, clientIp = null } = request.body;
      const account = username === undefined ? null : accountOf(config, username, terminal);
      // The record has the name in the form in which numbers are masked.
      if (account !== null) request.body.username = account.username;
      request.audit?.set({ target: account?.username ?? clientIp });
      if (clientIp !== null && !(await request.hasPermission('api:admin:auth:clearAddressLimit')))
        throw new PermissionDeniedError();
      const { stillLocked, endedCodes } = await clearLimits(
        { policies, clearCodes: codes.clear },
        { account, clientIp },
      );
      if (account?.audience === 'app') request.audit?.set({ detail: { endedCodes } });
      return { data: { stillLocked: [...stillLocked] } };
    },
  );

  app.get(
    '/admin/login-policy/explain',
    {
      config: { access: 'admin', permission: 'api:admin:login-policy:explain', audit: 'login-limit' },
      schema: {
        querystring: Type.Object(
          { username, terminal: Type.Optional(terminal), clientIp: Type.Optional(clientIp) },
          { additionalProperties: false },
        ),
        response: { 200: oneOf(explanation) },
      },
    },
    async function explainLoginLimit(request) {
      const { query } = request;
      const { audience, ...account } = accountOf(config, query.username, query.terminal);
      query.username = account.username;
      request.audit?.set({ target: account.username });
      // Devices and codes show which numbers have accounts, and so the digits that lists mask.
      if (audience === 'app' && !(await request.hasPermission('api:admin:app-users:list')))
        throw new PermissionDeniedError();
      const { counters, ...rest } = await policies[audience].explain({ ...account, clientIp: query.clientIp });
      const ofCodes = audience === 'app' ? { codes: await explainCodes(account.username) } : {};
      return { data: { ...rest, counters: [...counters], ...ofCodes } };
    },
  );

  app.get(
    '/admin/login-policy/locks',
    {
      config: { access: 'admin', permission: 'api:admin:login-policy:explain', audit: 'login-limit' },
      schema: {
        querystring: Type.Object(
          { terminal: Type.Optional(terminal), size: cursorQuery.size, after: cursorQuery.after },
          { additionalProperties: false },
        ),
        response: { 200: cursorListOf(presentLock) },
      },
    },
    async function listLocks({ query }) {
      const { size, after = null } = query;
      if (after !== null && !CURSOR.test(after)) throw cursorInvalid();
      const wanted = query.terminal?.toLowerCase();
      const { locks, next } = await app.presentLocks.read({ terminal: wanted, after, size });
      return { data: locks.map(showLock), page: { size, next } };
    },
  );
}
