import { type OptionRules, wholeNumber } from '@sallyport/plugin-kit/options';

/** Bounds of what a ZIP may contain. */
export interface ArchiveLimits {
  /** The largest number of entries, 1 to 100 000. Default 10 000. */
  readonly maxEntries: number;
  /** The unpacked bytes of all entries together, 1 MiB to 4 GiB. Default 256 MiB, which inflates in under a second. */
  readonly maxUnpackedBytes: number;
  /**
   * The unpacked size as a multiple of the packed size, for archives that unpack to more than 16 MiB; 1 to 1032.
   * Default 100.
   */
  readonly maxRatio: number;
}

/** The ratio is that of Apache POI's ZipSecureFile (MIN_INFLATE_RATIO 0.01). */
export const ARCHIVE_LIMIT_DEFAULTS: ArchiveLimits = Object.freeze({
  maxEntries: 10_000,
  maxUnpackedBytes: 256 * 1024 * 1024,
  maxRatio: 100,
});

/**
 * Below this size the ratio is not significant: a sheet of blanks is compressed a thousandfold, and is cheap to unpack.
 */
export const RATIO_GRACE_BYTES = 16 * 1024 * 1024;

export const archiveLimitRules: OptionRules<ArchiveLimits> = {
  maxEntries: wholeNumber({ min: 1, max: 100_000, unit: 'entries', default: ARCHIVE_LIMIT_DEFAULTS.maxEntries }),
  maxUnpackedBytes: wholeNumber({
    min: 1024 * 1024,
    max: 4 * 1024 * 1024 * 1024,
    unit: 'bytes',
    default: ARCHIVE_LIMIT_DEFAULTS.maxUnpackedBytes,
  }),
  // Deflate reaches 1032:1 at most.
  maxRatio: wholeNumber({ min: 1, max: 1032, default: ARCHIVE_LIMIT_DEFAULTS.maxRatio }),
};
