import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { option, optional } from '@sallyport/options';

/** How a destination is recognised, and how this side identifies itself. */
export interface TargetTlsOptions {
  /** PEM texts of the authorities that may have signed the certificate of the destination. Default those of Node. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  /** The own certificate with its chain, in PEM. Default none. */
  readonly cert?: string | Buffer | undefined;
  /** Its private key, in PEM without a passphrase. */
  readonly key?: string | Buffer | undefined;
  /** The name in the certificate of the destination. Default its host. */
  readonly servername?: string | undefined;
}

const isText = (value: unknown) => (typeof value === 'string' && value !== '') || Buffer.isBuffer(value);

const pem = <Value>(meaning: string, name: 'ca' | 'cert' | 'key', accepts: (value: unknown) => boolean) =>
  optional(
    option<Value>({
      meaning,
      accepts: (value) => accepts(value) && (name === 'cert' || isContext({ [name]: value as string })),
    }),
  );

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

export const targetTlsRules = {
  ca: pem<NonNullable<TargetTlsOptions['ca']>>(
    'certificates in PEM',
    'ca',
    (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  ),
  cert: pem<string | Buffer>('a certificate in PEM', 'cert', (value) => isText(value) && /BEGIN CERT/.test(`${value}`)),
  key: pem<string | Buffer>('a private key in PEM', 'key', isText),
  servername: optional(
    option<string>({
      meaning: 'a host name',
      accepts: (value) => typeof value === 'string' && HOST_NAME.test(value) && !/^[\d.]+$/.test(value),
    }),
  ),
};

/** What is wrong with the certificate and its key together. */
export function tlsFaults({ cert, key }: TargetTlsOptions): string[] {
  if ((cert === undefined) !== (key === undefined)) return ['cert and key must be given together'];
  if (cert === undefined || key === undefined || isContext({ cert, key })) return [];
  return ['cert and key must belong together'];
}

/** The options of Node, without those that are not given. */
export function tlsContext({ ca, cert, key, servername }: TargetTlsOptions): SecureContextOptions {
  const given = Object.entries({ ca, cert, key, servername }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), minVersion: 'TLSv1.2' };
}

function isContext(options: SecureContextOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}
