import { group, type OptionRules, option } from '@sallyport/options';
import { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits, archiveLimitRules } from '../archives/index.js';

/** Options of the inspection that are not part of an administrator's policy. */
export interface InspectionLimits {
  /** Bounds of what a ZIP may contain. Missing members have their defaults. Requirement UPL-4. */
  readonly archive?: Partial<ArchiveLimits>;
  /**
   * Encodings of texts without a byte-order mark, tried in this order. Default `['utf-8', 'gb18030']`: those of
   * spreadsheets in China. UTF-8 and UTF-16 with a mark always pass. Requirement UPL-4.
   */
  readonly textEncodings?: readonly string[];
}

/** The defaults of {@link InspectionLimits}. */
export const INSPECTION_DEFAULTS = {
  archive: ARCHIVE_LIMIT_DEFAULTS,
  textEncodings: ['utf-8', 'gb18030'],
} as const satisfies Required<InspectionLimits>;

/** Validated limits. */
export interface CheckedLimits {
  readonly archive: ArchiveLimits;
  readonly textEncodings: readonly string[];
}

export const inspectionRules: OptionRules<CheckedLimits> = {
  archive: group(archiveLimitRules),
  textEncodings: option<readonly string[]>({
    meaning: "a list of one or more encodings, such as ['utf-8']",
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((encoding) => typeof encoding === 'string'),
    faults: (encodings: readonly string[], name) =>
      encodings.flatMap((encoding, index) =>
        isEncoding(encoding)
          ? []
          : [`${name}[${index}] must be the name of an encoding that TextDecoder of this Node.js knows`],
      ),
    read: (encodings: readonly string[]) => [...encodings],
    default: INSPECTION_DEFAULTS.textEncodings,
  }),
};

/** Only by its canonical name, which is also served: an alias would be a second word for one encoding. */
function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name, { fatal: true }).encoding === name;
  } catch {
    return false;
  }
}
