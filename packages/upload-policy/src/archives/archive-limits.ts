/** What may come out of a ZIP. Requirement UPL-4. */
export interface ArchiveLimits {
  /** Entries at most, 1 to 100 000. Default 10 000. */
  readonly maxEntries: number;
  /** Bytes of all entries together at most, unpacked; 1 MiB to 4 GiB. Default 256 MiB: that many are inflated in under a second. */
  readonly maxUnpackedBytes: number;
  /** How many times its own size may come out of an archive that unpacks to more than 16 MiB; 1 to 1032. Default 100. */
  readonly maxRatio: number;
}

/** The ratio is that of Apache POI's ZipSecureFile (MIN_INFLATE_RATIO 0.01). */
export const ARCHIVE_LIMIT_DEFAULTS: ArchiveLimits = Object.freeze({
  maxEntries: 10_000,
  maxUnpackedBytes: 256 * 1024 * 1024,
  maxRatio: 100,
});

/** Up to here a ratio says nothing: a sheet of blanks packs a thousandfold, and costs nothing to unpack. */
export const RATIO_GRACE_BYTES = 16 * 1024 * 1024;

/** The most and least of {@link ArchiveLimits}; deflate can't do more than 1032:1. */
export const ARCHIVE_LIMIT_RANGES: Readonly<Record<keyof ArchiveLimits, readonly [least: number, most: number]>> = {
  maxEntries: [1, 100_000],
  maxUnpackedBytes: [1024 * 1024, 4 * 1024 * 1024 * 1024],
  maxRatio: [1, 1032],
};
