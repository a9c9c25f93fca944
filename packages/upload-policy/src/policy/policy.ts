import { group, type OptionRule, type OptionRules, option } from '@sallyport/plugin-kit/options';
import { UploadPolicyUnavailableError } from '../errors.js';
import { mediaTypesOfExtension } from '../files/index.js';
import { EXTENSIONS_EXAMPLE, extensionsOf, MEDIA_TYPES_EXAMPLE, PREVIEWS_EXAMPLE } from './allowed-lists.js';
import { uploadPolicyParameters } from './parameters.js';

/** The values of {@link uploadPolicyParameters}, with the units, ranges and defaults defined there. */
export interface UploadPolicy {
  /** The largest file, in megabytes of 1024 × 1024 bytes. Default 10. */
  readonly maxSizeMb: number;
  /** Whether checks other than size and non-empty are made. Default true. */
  readonly validationEnabled: boolean;
  /** Extensions, separated by commas; case, blanks and a leading dot don't matter. '' allows none. */
  readonly allowedExtensions: string;
  /**
   * Media types that a client may send, separated by commas. '' allows none. Default, if the policy is the option of
   * the plugin: those that belong to `allowedExtensions`.
   */
  readonly allowedMimeTypes: string;
  /** Whether anything may be previewed publicly. Default true. */
  readonly publicPreviewEnabled: boolean;
  /** Extensions that may be previewed publicly, comma-separated. Default `jpg,jpeg,png,webp`. */
  readonly publicPreviewAllowedExtensions: string;
}

/** The members of a definition that are used to check a value. */
interface Definition {
  readonly type: 'LONG' | 'BOOLEAN' | 'STRING';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly check?: (value: string) => string | null;
}

const definitions: Readonly<Record<keyof UploadPolicy, Definition>> = uploadPolicyParameters;
const names = Object.keys(definitions) as (keyof UploadPolicy)[];

const listExamples: Readonly<Partial<Record<keyof UploadPolicy, string>>> = {
  allowedExtensions: EXTENSIONS_EXAMPLE,
  allowedMimeTypes: MEDIA_TYPES_EXAMPLE,
  publicPreviewAllowedExtensions: PREVIEWS_EXAMPLE,
};

/** The defaults of {@link UploadPolicy}: those of its parameters. */
export const UPLOAD_POLICY_DEFAULTS: UploadPolicy = Object.freeze(
  Object.fromEntries(names.map((name) => [name, uploadPolicyParameters[name].default])) as unknown as UploadPolicy,
);

/** The faults of the values of a policy, one sentence each. No value may be missing. */
export function uploadPolicyFaults(values: unknown): string[] {
  if (typeof values !== 'object' || values === null) return ['policy must be an object'];
  return names.flatMap((name) => {
    const fault = valueFault(name, Reflect.get(values, name));
    return fault === null ? [] : [`policy.${name} must be ${fault}`];
  });
}

function valueFault(name: keyof UploadPolicy, value: unknown): string | null {
  const { type, minimum = 0, maximum = 0, check }: Definition = definitions[name];
  switch (type) {
    case 'LONG': {
      const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum;
      return isRight ? null : `a whole number from ${minimum} to ${maximum}`;
    }
    case 'BOOLEAN':
      return typeof value === 'boolean' ? null : 'true or false';
    case 'STRING':
      if (typeof value === 'string') return lowerFirst(check?.(value) ?? null);
      return `one text with commas, such as ${listExamples[name]}`;
  }
}

function lowerFirst(sentence: string | null): string | null {
  return sentence === null ? null : sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The rule of a policy in which missing values have their defaults, except those that depend on another. */
const valuesRule: OptionRule<UploadPolicy> = group(
  Object.fromEntries(
    names.map((name) => [
      name,
      option({
        meaning: 'a value of the policy',
        default: UPLOAD_POLICY_DEFAULTS[name],
        faults: (value: unknown, path) => {
          const fault = valueFault(name, value);
          return fault === null ? [] : [`${path} must be ${fault}`];
        },
      }),
    ]),
  ) as unknown as OptionRules<UploadPolicy>,
);

/**
 * The rule of a policy in which missing values have their defaults. A missing `allowedMimeTypes` becomes the media
 * types of the extensions, because the parameters' default would refuse every other extension.
 */
export const policyRule: OptionRule<UploadPolicy> = {
  ...valuesRule,
  faults(value, path) {
    const own = valuesRule.faults(value, path);
    if (own.length > 0) return own;
    const untyped = extensionsToType(value).filter((extension) => mediaTypesOfExtension(extension) === null);
    if (untyped.length === 0) return [];
    return [
      `${path}.allowedMimeTypes is required: the media types of ${untyped.join(', ')} in ${path}.allowedExtensions ` +
        'are not known. List those that clients name for all your extensions',
    ];
  },
  read(value) {
    const policy = valuesRule.read(value);
    const types = extensionsToType(value).flatMap((extension) => mediaTypesOfExtension(extension) ?? []);
    return types.length === 0 ? policy : { ...policy, allowedMimeTypes: [...new Set(types)].join() };
  },
};

/** The extensions of a policy that lists extensions but no media types. */
function extensionsToType(value: unknown): readonly string[] {
  const { allowedExtensions, allowedMimeTypes } = value as Partial<UploadPolicy>;
  return allowedExtensions === undefined || allowedMimeTypes !== undefined ? [] : extensionsOf(allowedExtensions);
}

/**
 * Returns the function that reads the policy for each upload. A policy with faults refuses the upload, because nobody
 * chose the defaults.
 */
export function createPolicyReader(
  policy: UploadPolicy | (() => UploadPolicy | Promise<UploadPolicy>),
): () => Promise<UploadPolicy> {
  const ask = typeof policy === 'function' ? policy : () => policy;

  return async function readPolicy() {
    let values: UploadPolicy;
    try {
      values = await ask();
    } catch (cause) {
      throw new UploadPolicyUnavailableError({ cause });
    }
    const faults = uploadPolicyFaults(values);
    if (faults.length > 0) throw new UploadPolicyUnavailableError({ cause: new TypeError(faults.join('; ')) });
    return values;
  };
}
