import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FoundOutcome, StoredAuditRecord } from '@sallyport/audit-log/postgres';
import type { Principal, TicketCheck } from '@sallyport/auth-tokens';
import type { SystemParametersOptions } from '@sallyport/system-parameters';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { OperationTexts } from './operation-text.js';
import type { NamedPermissionGroup, PermissionGroup } from './permission-group.js';

/** The server in the form that routes use. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

type ParameterTables = SystemParametersOptions<FastifyRequest>['tables'];

/** Determines the end of an operation that was begun but never completed. Null if it can't be determined (AUD-8). */
export type OutcomeFinder = (app: App, record: StoredAuditRecord) => Promise<FoundOutcome | null>;

/**
 * For an operation whose last step is a change in the database. Without a completion, that change was not committed.
 * Earlier steps, such as ending sessions, may have been done.
 */
export const notCommitted: OutcomeFinder = async () => ({ outcome: 'failure', reason: 'CHANGE_NOT_COMMITTED' });

/** A check of a ticket's resource, for example whether the principal owns it. */
export type TicketResourceCheck = (app: App, principal: Principal, resource: string) => Promise<boolean>;

/** The requirement of a ticket for each audience: a permission for administrators, a check for app users. */
export interface TicketPurpose {
  readonly admin: string;
  readonly app: TicketResourceCheck;
}

/** A business capability, with its declarations for the server. */
export interface Module<Dependencies> {
  /** A unique name. */
  readonly name: string;
  /** The permissions that its routes require, with their texts. A route can't require another one. */
  readonly permissions?: PermissionGroup;
  /** Its system parameters, with the rules between them. Secrets are never parameters (SYS-6). */
  readonly parameters?: ParameterTables;
  /**
   * The purposes of tickets (TOK-10), and what each requires. A ticket carries its holder and not the permission. Both
   * permission and check are repeated when the ticket is redeemed, so a permission revoked in between is refused.
   */
  readonly ticketPurposes?: Readonly<Record<string, TicketPurpose>>;
  /**
   * Functions that determine the end of begun operations, by action. An action without an entry stays `unknown` after a
   * crash.
   */
  readonly outcomes?: Readonly<Record<string, OutcomeFinder>>;
  /** Sections of the API documentation with a sentence each, in the order of the page. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The texts of its routes in the API documentation. */
  readonly operations?: OperationTexts;
  /** Registered for all routes, before any route. Decorates the server. */
  readonly prepare?: (app: App, dependencies: Dependencies) => Promise<void>;
  /** Registered in an encapsulated scope. */
  readonly routes?: (app: App, dependencies: Dependencies) => Promise<void>;
}

/**
 * Gives the routes the module's name. For a plugin without one, Fastify searches all loaded modules. TypeScript infers
 * the dependencies from the parameters of the module's functions.
 */
export function defineModule<Dependencies>(module: Module<Dependencies>): Module<Dependencies> {
  if (module.routes !== undefined) Object.assign(module.routes, { [Symbol.for('fastify.display-name')]: module.name });
  return module;
}

/** The declarations of all modules. */
export interface ModuleCatalog {
  readonly permissions: readonly string[];
  /** The permissions of each module that has any, with their texts. */
  readonly permissionGroups: readonly NamedPermissionGroup[];
  readonly parameters: ParameterTables;
  readonly ticketPurposes: Readonly<Record<string, TicketPurpose>>;
  readonly outcomes: Readonly<Record<string, OutcomeFinder>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: OperationTexts;
}

/** @throws {TypeError} if two modules declare the same thing */
export function catalogOf<Dependencies>(modules: readonly Module<Dependencies>[]): ModuleCatalog {
  refuseRepetition(modules.map(({ name }) => name));
  const permissionGroups = modules.flatMap(({ name, permissions }) =>
    permissions === undefined ? [] : [{ name, ...permissions }],
  );
  const permissions = permissionGroups.flatMap((group) => Object.keys(group.permissions));
  refuseRepetition(permissions);
  return {
    permissions,
    permissionGroups,
    // The system-parameters plugin refuses duplicate keys.
    parameters: modules.flatMap(({ parameters = [] }) => parameters),
    ticketPurposes: merged(modules.map(({ ticketPurposes = {} }) => ticketPurposes)),
    outcomes: merged(modules.map(({ outcomes = {} }) => outcomes)),
    tags: merged(modules.map(({ tags = {} }) => tags)),
    operations: merged(modules.map(({ operations = {} }) => operations)),
  };
}

/** The purposes, with checks that use this server. */
export function ticketPurposesOf(app: App, { ticketPurposes }: Pick<ModuleCatalog, 'ticketPurposes'>) {
  const entries = Object.entries(ticketPurposes).map(([purpose, { admin, app: check }]) => {
    const checkResource: TicketCheck = (principal, resource) => check(app, principal, resource);
    return [purpose, { admin, app: checkResource }] as const;
  });
  return Object.fromEntries(entries);
}

function merged<Value>(records: readonly Readonly<Record<string, Value>>[]): Readonly<Record<string, Value>> {
  const entries = records.flatMap((record) => Object.entries(record));
  refuseRepetition(entries.map(([name]) => name));
  return Object.fromEntries(entries);
}

function refuseRepetition(names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new TypeError(`two modules declare ${repeated}`);
}
