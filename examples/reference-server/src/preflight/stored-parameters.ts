import type { ParameterDefinitions, ParameterValues } from '@sallyport/system-parameters';
import { createPostgresSource } from '@sallyport/system-parameters/postgres';
import type { Database } from '../storage/database.js';

/** The stored system parameters. Unlike the start of the server, reading them inserts no rows. */
export interface StoredParameters {
  read<Definitions extends ParameterDefinitions>(definitions: Definitions): Promise<ParameterValues<Definitions>>;
}

/** @param database null: it has no such table yet, and the defaults apply */
export function storedParameters(database: Pick<Database, 'orm'> | null): StoredParameters {
  return {
    async read<Definitions extends ParameterDefinitions>(definitions: Definitions) {
      const keys = Object.values(definitions).map(({ key }) => key);
      const rows = database === null ? [] : await createPostgresSource({ database: database.orm }).read(keys);
      const values = Object.entries(definitions).map(([name, { key, type, default: byDefault, fallback }]) => {
        const row = rows.find((each) => each.key === key);
        if (row === undefined || row.version === 0) return [name, byDefault];
        return [name, readValue(type, row.value) ?? fallback ?? byDefault];
      });
      return Object.fromEntries(values) as ParameterValues<Definitions>;
    },
  };
}

/** Undefined if the text is not a value of the type. The server neither writes nor uses such values. */
function readValue(type: string, text: string): string | number | boolean | undefined {
  if (type === 'STRING') return text;
  if (type === 'BOOLEAN') return text === 'true' ? true : text === 'false' ? false : undefined;
  return /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
}
