import { createSecondFactors, type SecondFactors, type SecondFactorsOptions } from '@sallyport/second-factor';
import { createPasskeys, type Passkeys } from '@sallyport/second-factor/passkeys';
import type { Config } from '../../config/config.js';
import type { ReadableDatabase } from '../../storage/database.js';
import type { FactorKeys } from './factor-keys.js';
import { createFactorRecords, type RunFactorChange } from './factor-records.js';

/** The engines, whose changes are made by one function. */
export interface FactorEngines {
  readonly factors: SecondFactors;
  /** Null: no address is configured to which passkeys could be bound. */
  readonly passkeys: Passkeys | null;
}

export type EngineConfig = Pick<
  Config,
  'auth.second-factor.issuer' | 'public-url' | 'cors-origins' | 'profile' | 'port'
>;

interface EngineParts extends Pick<SecondFactorsOptions, 'store' | 'log' | 'now'> {
  readonly config: EngineConfig;
  readonly keys: FactorKeys;
  readonly database: ReadableDatabase;
}

/** Receives why a factor was refused. */
type OnRefused = NonNullable<SecondFactorsOptions['onEvent']>;

/**
 * Returns the function that makes the engines of one operation. They are cheap, and hold nothing: what they remember is
 * in the store and in the table. They read the records outside of a transaction by default.
 */
export function engineFactory({ config, keys, database, ...shared }: EngineParts) {
  const relyingParty = relyingPartyOf(config);
  const issuer = config['auth.second-factor.issuer'];
  return function openEngines(
    run: RunFactorChange,
    onEvent: OnRefused = () => {},
    readFrom: ReadableDatabase = database,
  ): FactorEngines {
    const common = { ...shared, records: createFactorRecords(readFrom, run), onEvent };
    return {
      factors: createSecondFactors({ ...common, ...keys, issuer }),
      passkeys: relyingParty === null ? null : createPasskeys({ ...common, ...relyingParty, rpName: issuer }),
    };
  };
}

export type OpenEngines = ReturnType<typeof engineFactory>;

/**
 * The domain to which passkeys are bound, and the pages that may ask for them: those of the service itself, and
 * those of CORS origins in its domain. Browsers accept no address of a machine.
 */
export function relyingPartyOf(config: EngineConfig): { readonly rpId: string; readonly origins: string[] } | null {
  const own = config['public-url'] ?? developmentUrl(config);
  if (own === null) return null;
  const { hostname: rpId, protocol } = new URL(own);
  if (rpId !== 'localhost' && (protocol !== 'https:' || !/^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(rpId))) return null;
  const isWithin = (origin: string) => {
    const { hostname, protocol: scheme } = new URL(origin);
    const isSecure = scheme === 'https:' || hostname === 'localhost';
    return isSecure && (hostname === rpId || hostname.endsWith(`.${rpId}`));
  };
  return { rpId, origins: [...new Set([own, ...config['cors-origins'].filter(isWithin)])] };
}

function developmentUrl({ profile, port }: EngineConfig): string | null {
  return profile === 'development' && port !== 0 ? new URL(`http://localhost:${port}`).origin : null;
}
