import { group, type OptionRules, option } from '@sallyport/plugin-kit/options';
import { ARCHIVE_LIMIT_DEFAULTS, type ArchiveLimits, archiveLimitRules } from '../archives/index.js';
import { MAX_TEXT_ENCODINGS, type TextEncoding, textEncodingFault } from './text-encodings.js';

/** Options of the inspection that are not part of an administrator's policy. */
export interface InspectionLimits {
  /** Bounds of what a ZIP may contain. Missing members have their defaults. */
  readonly archive?: Partial<ArchiveLimits>;
  /**
   * The encodings in which texts are accepted, 1 to 8 of {@link TEXT_ENCODINGS}. The first encoding in which a file is
   * valid counts, so list an encoding that accepts nearly any bytes, such as windows-1252, last. A byte-order mark
   * decides alone; UTF-16 requires it. Default `['utf-8', 'gb18030']`, the encodings of spreadsheets in China.
   */
  readonly textEncodings?: readonly TextEncoding[];
}

/** The defaults of {@link InspectionLimits}. */
export const INSPECTION_DEFAULTS = {
  archive: ARCHIVE_LIMIT_DEFAULTS,
  textEncodings: ['utf-8', 'gb18030'],
} as const satisfies Required<InspectionLimits>;

/** Validated limits. */
export interface CheckedLimits {
  readonly archive: ArchiveLimits;
  readonly textEncodings: readonly TextEncoding[];
}

export const inspectionRules: OptionRules<CheckedLimits> = {
  archive: group(archiveLimitRules),
  textEncodings: option<readonly TextEncoding[]>({
    meaning: `a list of 1 to ${MAX_TEXT_ENCODINGS} encodings, such as ['utf-8']`,
    accepts: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length <= MAX_TEXT_ENCODINGS &&
      value.every((encoding) => typeof encoding === 'string'),
    faults: (encodings: readonly string[], name) =>
      encodings.flatMap((encoding, index) => {
        const fault = encodings.indexOf(encoding) < index ? 'is listed twice' : textEncodingFault(encoding);
        return fault === null ? [] : [`${name}[${index}] ${fault}`];
      }),
    read: (encodings: readonly TextEncoding[]) => [...encodings],
    default: INSPECTION_DEFAULTS.textEncodings,
  }),
};
