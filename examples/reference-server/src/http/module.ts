import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { SystemParametersOptions } from '@sallyport/system-parameters';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { OperationTexts } from './operation-text.js';

/** The server, as routes see it. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

type ParameterTables = SystemParametersOptions<FastifyRequest>['tables'];

/** One business capability: all that the server has to know of it. */
export interface Module<Dependencies> {
  /** None other has it. */
  readonly name: string;
  /** The permission codes that its routes ask for. */
  readonly permissions?: readonly string[];
  /** Its system parameters, with what holds between them. Secrets are never among them (SYS-6). */
  readonly parameters?: ParameterTables;
  /**
   * What tickets can be had for (TOK-10), and the permission that each needs. A ticket carries its holder, not the
   * permission: that is asked for again when the ticket is redeemed, so that a right lost in between is lost.
   */
  readonly ticketPurposes?: Readonly<Record<string, string>>;
  /** Headings of the API documentation, with a sentence on each, in the order of the page. */
  readonly tags?: Readonly<Record<string, string>>;
  /** What people read about its routes. */
  readonly operations?: OperationTexts;
  /** Registered before any route, for all routes: what it decorates the server with. */
  readonly prepare?: (app: App, dependencies: Dependencies) => Promise<void>;
  /** Registered in a scope of its own. */
  readonly routes?: (app: App, dependencies: Dependencies) => Promise<void>;
}

/** Yields the module as it is; TypeScript knows what it needs by the arguments of its functions. */
export function defineModule<Dependencies>(module: Module<Dependencies>): Module<Dependencies> {
  return module;
}

/** What all modules declare, together. */
export interface ModuleCatalog {
  readonly permissions: readonly string[];
  readonly parameters: ParameterTables;
  readonly ticketPurposes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
  readonly operations: OperationTexts;
}

/** @throws {TypeError} if two modules declare one thing */
export function catalogOf<Dependencies>(modules: readonly Module<Dependencies>[]): ModuleCatalog {
  refuseRepetition(modules.map(({ name }) => name));
  const permissions = modules.flatMap(({ permissions = [] }) => permissions);
  refuseRepetition(permissions);
  return {
    permissions,
    // A key that is defined twice is refused by the plugin that reads the tables.
    parameters: modules.flatMap(({ parameters = [] }) => parameters),
    ticketPurposes: merged(modules.map(({ ticketPurposes = {} }) => ticketPurposes)),
    tags: merged(modules.map(({ tags = {} }) => tags)),
    operations: merged(modules.map(({ operations = {} }) => operations)),
  };
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
