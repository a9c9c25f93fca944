import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { option, optional } from '@sallyport/plugin-kit/options';

/** The authentication of the destination and of this side. */
export interface TargetTlsOptions {
  /**
   * PEM texts of the authorities that may have signed the certificate of the destination. Default: the authorities of
   * Node.js.
   */
  readonly ca?: string | Buffer | readonly (string | Buffer)[] | undefined;
  /** The client certificate with its chain, in PEM. Default none. */
  readonly cert?: string | Buffer | undefined;
  /** Its private key, in PEM without a passphrase. */
  readonly key?: string | Buffer | undefined;
  /** The name in the certificate of the destination. Default its host. */
  readonly servername?: string | undefined;
}

/** Matches a certificate in a PEM text, which may contain several. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

const isText = (value: unknown): value is string | Buffer => typeof value === 'string' || Buffer.isBuffer(value);

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

export const targetTlsRules = {
  ca: optional(
    option<NonNullable<TargetTlsOptions['ca']>>({
      meaning: 'certificates in PEM',
      accepts: (value) =>
        Array.isArray(value) ? value.length > 0 && value.every(isCertificates) : isCertificates(value),
    }),
  ),
  cert: optional(option<string | Buffer>({ meaning: 'a certificate in PEM', accepts: isCertificates })),
  key: optional(option<string | Buffer>({ meaning: 'a private key in PEM', accepts: isPrivateKey })),
  servername: optional(
    option<string>({
      meaning: 'a host name',
      accepts: (value) => typeof value === 'string' && HOST_NAME.test(value) && !/^[\d.]+$/.test(value),
    }),
  ),
};

/** Faults of the certificate and its key together. */
export function tlsFaults({ cert, key }: TargetTlsOptions): string[] {
  if ((cert === undefined) !== (key === undefined)) return ['cert and key must be given together'];
  if (cert === undefined || key === undefined || isMade(() => createSecureContext({ cert, key }))) return [];
  return ['cert and key must belong together'];
}

/** The options for Node.js, without those that are not given. */
export function tlsContext({ ca, cert, key, servername }: TargetTlsOptions): SecureContextOptions {
  const given = Object.entries({ ca, cert, key, servername }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), minVersion: 'TLSv1.2' };
}

/** Node.js ignores an invalid CA. */
function isCertificates(value: unknown): boolean {
  const found = isText(value) ? [...value.toString().matchAll(CERTIFICATE)] : [];
  return found.length > 0 && found.every(([pem]) => isMade(() => new X509Certificate(pem)));
}

function isPrivateKey(value: unknown): boolean {
  return isText(value) && isMade(() => createPrivateKey(value));
}

function isMade(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}
