import { UploadTooManyError } from '../errors.js';

/** The uploads that are being received or judged, by uploader. Requirement UPL-10. */
export interface UploadsUnderWay {
  /**
   * Counts one upload until the returned function is called. Calling it twice has no effect.
   *
   * @throws UploadTooManyError if the uploader has as many under way as one may
   */
  begin(uploader: string): () => void;
}

/** In memory, with an entry for each uploader who has an upload under way: never more than there are requests. */
export function countUploadsUnderWay(maxPerUploader: number): UploadsUnderWay {
  const underWay = new Map<string, number>();

  return {
    begin(uploader) {
      const others = underWay.get(uploader) ?? 0;
      if (others >= maxPerUploader) throw new UploadTooManyError();
      underWay.set(uploader, others + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (underWay.get(uploader) ?? 1) - 1;
        if (left === 0) underWay.delete(uploader);
        else underWay.set(uploader, left);
      };
    },
  };
}
