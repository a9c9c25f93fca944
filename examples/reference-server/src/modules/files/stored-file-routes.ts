import { Type } from '@fastify/type-provider-typebox';
import { type ReceivedFile, UploadMalformedError } from '@sallyport/upload-policy';
import { idParams, listOf, oneOf, pageQuery, readId } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import type { FileRecord } from './file-records.js';
import { sendFile } from './send-file.js';
import { readUploadKey } from './upload-key.js';

const storedFile = Type.Object({
  id: Type.String(),
  fileName: Type.String(),
  extension: Type.String(),
  /** The verified type, with which the file is served. */
  mediaType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  publicPreview: Type.Boolean(),
  /** The id of the administrator who uploaded it. */
  createdBy: Type.String(),
  createdAt: Type.Integer(),
});

/** The files that administrators manage (UPL-9). Contents are never encrypted: no envelope can carry them. */
export async function storedFileRoutes(app: App): Promise<void> {
  const { storedFiles: files, uploadPolicy } = app;

  app.post(
    '/admin/storage/files',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:storage:upload',
        audit: { action: 'file.upload' },
        bypassEnvelope: true,
      },
      schema: { response: { 201: oneOf(storedFile) } },
    },
    async function uploadFile(request, reply) {
      const destination = files.incoming({
        createdBy: request.principal!.subject,
        uploadKey: readUploadKey(request.headers['idempotency-key']),
        async choosePreview(file) {
          const isWanted = readPreviewField(file);
          if (isWanted) await uploadPolicy.assertPreviewable(file.extension);
          return isWanted;
        },
      });
      const { stored } = await uploadPolicy.receive(request, destination);
      const { id, fileName, size, sha256, publicPreview } = show(stored);
      request.audit?.set({ target: id, detail: { fileName, size, sha256, publicPreview } });
      return reply.code(201).send({ data: show(stored) });
    },
  );

  app.get(
    '/admin/storage/files',
    {
      config: { access: 'admin', permission: 'api:admin:storage:list', audit: 'file' },
      schema: {
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: { 200: listOf(storedFile) },
      },
    },
    async function listFiles({ query }) {
      const { items, total } = await files.list(query);
      return { data: items.map(show), page: { number: query.page, size: query.size, total } };
    },
  );

  app.get(
    '/admin/storage/files/:id/content',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:storage:read',
        audit: { action: 'file.download' },
        queryToken: true,
        bypassEnvelope: true,
      },
      schema: { params: idParams },
    },
    async function readContent(request, reply) {
      return sendFile(request, reply, files, await files.find(readId(request.params)), 'attachment');
    },
  );

  app.delete(
    '/admin/storage/files/:id',
    {
      config: { access: 'admin', permission: 'api:admin:storage:delete', audit: 'file' },
      schema: { params: idParams, response: { 204: Type.Null() } },
    },
    async function deleteFile({ params }, reply) {
      await files.remove(readId(params));
      return reply.code(204).send(null);
    },
  );
}

/** The only form field besides the file. Unknown fields are refused, as in every body (HTTP-4). */
function readPreviewField({ fields: { publicPreview = 'false', ...others } }: ReceivedFile): boolean {
  if (Object.keys(others).length > 0) throw new UploadMalformedError('The form has an unknown field');
  if (publicPreview !== 'true' && publicPreview !== 'false') {
    throw new UploadMalformedError('publicPreview must be true or false');
  }
  return publicPreview === 'true';
}

function show({ displayName, createdAt, storageKey: _place, state: _stored, uploadKey: _own, ...file }: FileRecord) {
  return { ...file, fileName: displayName, createdAt: createdAt.getTime() };
}
