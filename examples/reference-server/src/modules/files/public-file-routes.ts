import { TicketInvalidError } from '@sallyport/auth-tokens';
import { UploadPreviewRefusedError } from '@sallyport/upload-policy';
import { Type } from 'typebox';
import { NotFoundError } from '../../http/errors.js';
import { readId } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import type { FileRecord } from './file-records.js';
import { sendFile } from './send-file.js';

const id = Type.String({ maxLength: 100 });

/**
 * `GET /public/storage/preview` and `GET /public/storage/download` (UPL-9): for links in browsers, which send no token
 * header.
 */
export async function publicFileRoutes(app: App): Promise<void> {
  const { storedFiles: files, uploadPolicy } = app;

  /** Checked for every preview: the flag, the switch and the list may have changed since the upload (UPL-6). */
  async function findPreviewable(fileId: string): Promise<FileRecord> {
    const file = await files.find(fileId);
    if (!file.publicPreview) throw new NotFoundError();
    try {
      await uploadPolicy.assertPreviewable(file.extension);
    } catch (error) {
      // Clients can't distinguish a private file from an unknown one.
      throw error instanceof UploadPreviewRefusedError ? new NotFoundError() : error;
    }
    return file;
  }

  /** For a download without a ticket. Clients can't distinguish a private file from an unknown one. */
  async function findPublic(fileId: string): Promise<FileRecord> {
    try {
      return await findPreviewable(fileId);
    } catch (error) {
      throw error instanceof NotFoundError ? new TicketInvalidError() : error;
    }
  }

  app.get(
    '/public/storage/preview',
    {
      config: { access: 'public', audit: false, bypassEnvelope: true },
      schema: { querystring: Type.Object({ id }, { additionalProperties: false }) },
    },
    async function previewFile(request, reply) {
      const file = await findPreviewable(readId(request.query));
      // Cached, but revalidated each time. Pages of any origin may embed it.
      reply.headers({ 'cache-control': 'no-cache', 'cross-origin-resource-policy': 'cross-origin' });
      return sendFile(request, reply, files, file, 'inline');
    },
  );

  app.get(
    '/public/storage/download',
    {
      config: { access: 'public', audit: { action: 'file.download' }, bypassEnvelope: true },
      // A HEAD request would use up the ticket.
      exposeHeadRoute: false,
      schema: {
        querystring: Type.Object(
          { id, ticket: Type.Optional(Type.String({ maxLength: 100 })) },
          { additionalProperties: false },
        ),
      },
    },
    async function downloadFile(request, reply) {
      // RFC 6750, 5.3 applies to tickets too: the referrer must not disclose the address to other pages.
      reply.header('referrer-policy', 'no-referrer');
      const { ticket } = request.query;
      const resource = readId(request.query);
      request.audit?.set({ target: resource });
      if (ticket === undefined) return sendFile(request, reply, files, await findPublic(resource), 'attachment');
      // Redeeming the ticket checks the holder's session, and his permission or ownership, again.
      request.principal = await app.authTokens.redeemTicket({ ticket, purpose: 'storage:download', resource });
      // One answer for every ticket that gives nothing.
      if ((await app.findUnmetDuty(request)) !== null) throw new TicketInvalidError();
      return sendFile(request, reply, files, await files.find(resource), 'attachment');
    },
  );
}
