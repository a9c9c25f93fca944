import { type AuditRecord, createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import { createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { createSystemParameters, ParameterInvalidError } from '@sallyport/system-parameters';
import { createPostgresSource, transactionOf } from '@sallyport/system-parameters/postgres';
import type { Config } from '../../config/config.js';
import { auditChain } from '../../modules/audit-records/index.js';
import type { ProfileRule } from '../../preflight/policy-profiles.js';
import { profileTables } from '../../preflight/profile-definitions.js';
import type { Database } from '../../storage/database.js';

const ACTOR = 'command:policy';

/** A rule between parameters forbids a value of the profile. The command prints this message. */
class ProfileRefusedError extends Error {
  override readonly name = 'ProfileRefusedError';
}

interface ApplyDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly now: () => number;
}

/**
 * Sets the parameters, each in a transaction with its audit record. The rules between parameters hold after each of
 * them, so that one which they forbid at first is tried again after the others.
 *
 * @throws {ProfileRefusedError} what was set before stays
 */
export async function applyProfile(
  { config, database, now }: ApplyDependencies,
  rules: readonly ProfileRule[],
  onSet: (rule: ProfileRule) => void,
): Promise<void> {
  // The server makes the checkpoint which covers the records.
  const sink = createPostgresAuditSink(await auditChain(config, database));
  const newId = createRecordIds(now);
  let written: AuditRecord | null = null;
  const parameters = createSystemParameters({
    tables: profileTables,
    source: createPostgresSource({ database: database.orm }),
    async onChange(change) {
      const { key, oldValue, newValue, version } = change;
      const event = {
        action: 'system-parameter.update',
        actor: ACTOR,
        target: key,
        outcome: 'success' as const,
        parameters: { target: key, detail: { oldValue, newValue, version } },
      };
      const record = createAuditRecord(event, { id: newId(), occurredAt: now() });
      await sink.appendWithin(transactionOf(change), [record]);
      written = record;
    },
  });
  await parameters.start();
  try {
    let waiting = [...rules];
    while (waiting.length > 0) {
      const refused: { readonly rule: ProfileRule; readonly error: ParameterInvalidError }[] = [];
      for (const rule of waiting) {
        try {
          const { version } = await parameters.find(rule.key);
          // The owner of the machine confirms what an administrator would be warned of.
          await parameters.change({ key: rule.key, value: rule.value, version, confirm: true, changedBy: ACTOR });
          // It is committed. If it can't enter the chain now, a server chains it later.
          if (written !== null) await sink.append([written]).catch(() => {});
          onSet(rule);
        } catch (error) {
          if (!(error instanceof ParameterInvalidError)) throw error;
          refused.push({ rule, error });
        }
      }
      if (refused.length === waiting.length) {
        const reasons = refused.map(({ rule: { key, value }, error }) => `${key} = ${value}: ${faultsOf(error)}`);
        throw new ProfileRefusedError(`These parameters were not set: ${reasons.join('; ')}.`);
      }
      waiting = refused.map(({ rule }) => rule);
    }
  } finally {
    await parameters.close();
    await sink.close();
  }
}

function faultsOf({ errors }: ParameterInvalidError): string {
  return errors.map(({ detail }) => detail).join(', ');
}
