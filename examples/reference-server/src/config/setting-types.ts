// Longer than 300 lines: the types of settings are read together.
import { createPublicKey } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type AuditKey, isCheckpointPublicKey, parseAuditKey, parseCheckpointKey } from '@sallyport/audit-log/postgres';
import { createClientIp } from '@sallyport/client-ip';
import { parsePrivateKey } from '@sallyport/envelope-crypto';
import { isRandomEnough } from '@sallyport/plugin-kit/options';
import type { SecretKey } from '@sallyport/second-factor';
import { MAX_TEXT_ENCODINGS, TEXT_ENCODINGS, type TextEncoding, textEncodingFault } from '@sallyport/upload-policy';
import { isSupportedCountry } from 'libphonenumber-js/mobile';
import { templateFault } from './gateway-template.js';

/** Parses the text of one variable. `read` throws a {@link SettingFault}, whose text never contains the value. */
export interface SettingType<Value> {
  /** The name of the type in the table of variables. */
  readonly name: string;
  read(text: string): Value;
}

/** The reason why a text is not a value of its type, and the fix. */
export class SettingFault extends Error {
  readonly fix: string;
  constructor(reason: string, fix: string) {
    super(reason);
    this.fix = fix;
  }
}

/**
 * Exactly one of these words, in this case and without white space, so that a typing error never selects a weaker
 * setting.
 */
export function oneOf<const Word extends string>(...words: readonly Word[]): SettingType<Word> {
  return {
    name: words.join(' | '),
    read(text) {
      const word = words.find((candidate) => candidate === text);
      if (word === undefined)
        throw new SettingFault('is not one of the accepted words', `write exactly one of ${words.join(', ')}`);
      return word;
    },
  };
}

export const flag: SettingType<boolean> = {
  name: 'true | false',
  read: (text) => oneOf('true', 'false').read(text) === 'true',
};

export function integer(minimum: number, maximum: number): SettingType<number> {
  return {
    name: `integer, ${minimum} to ${maximum}`,
    read(text) {
      const value = /^(?:0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= minimum && value <= maximum)) {
        throw new SettingFault(
          'is not a whole number in its range',
          `write digits only, from ${minimum} to ${maximum}`,
        );
      }
      return value;
    },
  };
}

/** A text that matches a pattern. */
export function text(name: string, pattern: RegExp, fix: string): SettingType<string> {
  return {
    name,
    read(value) {
      if (!pattern.test(value)) throw new SettingFault('has an invalid form', fix);
      return value;
    },
  };
}

/** A URL with a host and one of these schemes (`postgres:` …). It may contain a password and is never printed. */
export function url(...protocols: readonly string[]): SettingType<string> {
  const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return {
    name: `URL, ${schemes}`,
    read(value) {
      const parsed = URL.canParse(value) ? new URL(value) : null;
      if (parsed === null || !protocols.includes(parsed.protocol) || parsed.hostname === '') {
        throw new SettingFault('is not a URL with an accepted scheme', `write ${schemes} and a host`);
      }
      if (!isDecodable(parsed.username) || !isDecodable(parsed.password)) {
        throw new SettingFault('has a stray % in its user or password', 'write %25 for %');
      }
      return value;
    },
  };
}

/** Such a URL for requests by `fetch`, which refuses one with a user or a password. */
export function urlWithoutUser(...protocols: readonly string[]): SettingType<string> {
  const any = url(...protocols);
  return {
    name: any.name,
    read(value) {
      const { username, password } = new URL(any.read(value));
      if (username !== '' || password !== '') {
        throw new SettingFault('has a user or a password, which its requests cannot carry', 'write it without them');
      }
      return value;
    },
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Entries separated by commas. White space around an entry is removed; empty entries are refused. */
export function listOf<Value>(item: SettingType<Value>): SettingType<readonly Value[]> {
  return {
    name: `list of ${item.name}`,
    read(value) {
      const entries = value.split(',').map((entry) => entry.trim());
      if (entries.includes('')) throw new SettingFault('has an empty entry', 'separate the entries by single commas');
      return entries.map((entry) => item.read(entry));
    },
  };
}

/** A web origin as browsers send it: scheme, host and port only. */
export const origin: SettingType<string> = {
  name: 'origin',
  read(value) {
    if (!URL.canParse(value) || new URL(value).origin !== value || !/^https?:/.test(value)) {
      throw new SettingFault(
        'has an entry that is not an origin',
        'write https://host or https://host:port, without a path; * is not accepted',
      );
    }
    return value;
  },
};

/**
 * An address or CIDR range of a proxy. Words such as `true` and hop counts are refused, because they would trust
 * arbitrary clients (IP-2).
 */
export const proxyRange: SettingType<string> = {
  name: 'IP or CIDR',
  read(value) {
    try {
      createClientIp({ trustedProxies: [value] });
    } catch {
      throw new SettingFault(
        'has an entry that is neither an address nor a CIDR range, or a range broader than /8 (IPv6: /7)',
        'write for example 10.0.0.5 or 10.1.0.0/16; true and hop counts are not accepted',
      );
    }
    return value;
  },
};

/** A valid SM2 private key (ENV-3). */
export const privateKey: SettingType<string> = {
  name: '64 hex characters',
  read(value) {
    const parsed = parsePrivateKey(value);
    if (parsed.kind === 'refused') {
      throw new SettingFault(parsed.faults.join(', and '), 'generate a key with: openssl rand -hex 32');
    }
    return value;
  },
};

/** A module whose code the server runs. */
export const modulePath: SettingType<string> = text(
  'absolute path',
  /^(?:\/|[A-Za-z]:[\\/])[^\0]+\.m?js$/,
  'write the absolute path of a file that ends in .js or .mjs',
);

/** A key of the audit chain (AUD-6). */
export const auditKey: SettingType<AuditKey> = {
  name: 'kid:64 or more hex characters',
  read(value) {
    try {
      return parseAuditKey(value);
    } catch {
      throw new SettingFault(
        'is not an identifier and 32 or more random bytes',
        'write an identifier, a colon, and the output of: openssl rand -hex 32',
      );
    }
  },
};

/** `id:base64` of 32 random bytes: a key of second factors (MFA-1). */
export const factorKey: SettingType<SecretKey> = {
  name: 'id:base64 of 32 bytes',
  read(value) {
    const key = readFactorKey(value);
    if (key === null) {
      throw new SettingFault(
        'is not an identifier and 32 random bytes in base64',
        'write an identifier, a colon, and the output of: openssl rand -base64 32',
      );
    }
    return key;
  },
};

function readFactorKey(value: string): SecretKey | null {
  const [, id, text] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(value.trim()) ?? [];
  if (id === undefined || text === undefined) return null;
  const secret = Buffer.from(text, 'base64');
  return isRandomEnough(secret) ? { id, secret } : null;
}

/** The key that signs the checkpoints of the audit log (AUD-12). */
export const checkpointKey: SettingType<string> = {
  name: 'PRIVATE+KEY+name+hash+base64',
  read(value) {
    try {
      parseCheckpointKey(value);
      return value.trim();
    } catch {
      throw new SettingFault('is not a key of checkpoints', 'make one with: node dist/commands/audit.js make-key NAME');
    }
  },
};

/** The public half of such a key. */
export const checkpointPublicKey: SettingType<string> = {
  name: 'name+hash+base64',
  read(value) {
    if (!isCheckpointPublicKey(value)) {
      throw new SettingFault(
        'has an entry that is not the public key of checkpoints',
        'write what this prints with the earlier key: node dist/commands/audit.js public-key',
      );
    }
    return value;
  },
};

export interface NamedKey {
  readonly keyId: string;
  readonly key: string;
}

/** `kid:key`: an earlier key that is still accepted, with its identifier. */
export function namedKey(key: SettingType<string>): SettingType<NamedKey> {
  return {
    name: `kid:${key.name}`,
    read(value) {
      const [, keyId, text] = /^([A-Za-z0-9._-]{1,64}):(.+)$/s.exec(value) ?? [];
      if (keyId === undefined || text === undefined) {
        throw new SettingFault('has an entry that is not kid:key', 'write the identifier, a colon and the key');
      }
      return { keyId, key: key.read(text) };
    },
  };
}

/** A public key in PEM, or a shared secret. The bytes of a public key alone would be a secret that everybody knows. */
export const publicKeyOrSecret: SettingType<string> = {
  name: 'text',
  read(value) {
    if (isBareKey(value)) {
      throw new SettingFault(
        'has a key without its PEM lines, which would serve as a secret',
        'write it with the line -----BEGIN PUBLIC KEY-----, and \\n for line breaks',
      );
    }
    return value;
  },
};

function isBareKey(text: string): boolean {
  try {
    createPublicKey({ key: Buffer.from(text.replaceAll('\\n', ''), 'base64'), format: 'der', type: 'spki' });
    return true;
  } catch {
    return false;
  }
}

/** A country with a known numbering plan. */
export const region: SettingType<string> = {
  name: 'country, such as CN',
  read(value) {
    if (!isSupportedCountry(value))
      throw new SettingFault('is not a known country', 'write its two-letter code of ISO 3166-1 in capitals');
    return value;
  },
};

const textEncoding: SettingType<TextEncoding> = {
  name: 'encoding',
  read(value) {
    const name = value.toLowerCase();
    if (textEncodingFault(name) !== null) {
      throw new SettingFault(
        'has an entry that is not a supported encoding',
        `write one of ${TEXT_ENCODINGS.join(', ')}`,
      );
    }
    return name as TextEncoding;
  },
};

/** Encodings of text, in the order in which they are tried. Their case does not matter (UPL-10). */
export const textEncodings: SettingType<readonly TextEncoding[]> = {
  name: listOf(textEncoding).name,
  read(value) {
    const encodings = listOf(textEncoding).read(value);
    if (new Set(encodings).size < encodings.length || encodings.length > MAX_TEXT_ENCODINGS) {
      throw new SettingFault('has an entry twice, or too many', `write 1 to ${MAX_TEXT_ENCODINGS}, each once`);
    }
    return encodings;
  },
};

/** The body of a gateway's requests. */
export const bodyTemplate: SettingType<string> = {
  name: 'JSON with placeholders',
  read(value) {
    const fault = templateFault(value);
    if (fault !== null)
      throw new SettingFault(fault, 'write JSON whose strings contain {{mobile}} and {{text}} or {{code}}');
    return value;
  },
};

/** Names and values of headers, as one JSON object. */
export const headers: SettingType<Readonly<Record<string, string>>> = {
  name: 'JSON object',
  read(value) {
    try {
      const parsed = JSON.parse(value);
      const entries = Object.entries<string>(parsed);
      // The entries of a text or of a list would be headers named 0, 1, 2.
      if (typeof parsed !== 'object' || Array.isArray(parsed) || entries.length === 0)
        throw new TypeError('no headers');
      for (const [name, content] of entries) {
        validateHeaderName(name);
        validateHeaderValue(name, content);
        if (typeof content !== 'string') throw new TypeError('not a text');
      }
      return Object.fromEntries(entries);
    } catch {
      // Omit the parser's message, which would quote the value.
      throw new SettingFault(
        'is not a JSON object of header names and values',
        'write for example {"Authorization":"Bearer …"}',
      );
    }
  },
};
