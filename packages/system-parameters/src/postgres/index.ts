export {
  createPostgresNotifier,
  type ListeningPGlite,
  type ListeningPostgresJs,
  POSTGRES_NOTIFIER_DEFAULTS,
  type PostgresNotifierOptions,
} from './postgres-notifier.js';
export {
  createPostgresSource,
  type PostgresSourceOptions,
  transactionOf,
} from './postgres-source.js';
export {
  createSystemParametersTable,
  defineSystemParameters,
  type ParameterDatabase,
  type ParameterTransaction,
  type SystemParametersTable,
  systemParameters,
} from './postgres-table.js';
