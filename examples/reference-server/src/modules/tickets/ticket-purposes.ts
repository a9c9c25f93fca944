/**
 * What tickets can be had for (TOK-10), and the permission that each needs. A ticket carries its holder, not the
 * permission: that is asked for again when the ticket is redeemed, so that a right lost in between is lost.
 */
export const ticketPurposes = {
  /** The content of one stored file, by its id: `GET /public/storage/download`. */
  'storage:download': 'api:admin:storage:download',
} as const;
