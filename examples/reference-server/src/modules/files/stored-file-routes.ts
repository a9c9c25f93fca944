import { uploadPolicyParameters } from '@sallyport/upload-policy';
import { Type } from 'typebox';
import { cursorListOf, cursorQuery, idParams, oneOf, readId, searchText } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { runChangeOf } from '../../storage/changes.js';
import { showPage } from '../../storage/pages.js';
import { ownerOf } from './file-records.js';
import { receiveFile, UPLOAD, type UploadDependencies } from './receive-file.js';
import { sendFile } from './send-file.js';
import { showFile, showPolicy, storedFile } from './shown-file.js';

/** With the policy in force, so that a page shows both by one request, and one record. */
const fileList = Type.Object(
  {
    ...cursorListOf(storedFile).properties,
    policy: Type.Union([
      Type.Object({
        maxSizeMb: Type.Number(),
        validationEnabled: Type.Boolean(),
        allowedExtensions: Type.String(),
        allowedMimeTypes: Type.String(),
      }),
      Type.Null(),
    ]),
  },
  { title: 'StoredFileList' },
);

/** The files that administrators manage (UPL-9). Contents are never encrypted: no envelope can carry them. */
export async function storedFileRoutes(app: App, { changes }: UploadDependencies): Promise<void> {
  const { storedFiles: files } = app;

  app.post(
    '/admin/storage/files',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:storage:upload',
        ...UPLOAD,
      },
      schema: { response: { 201: oneOf(storedFile) } },
    },
    async function uploadFile(request, reply) {
      const stored = await receiveFile(app, changes, request, ownerOf(request.principal!));
      return reply.code(201).send({ data: showFile(stored) });
    },
  );

  app.get(
    '/admin/storage/files',
    {
      config: { access: 'admin', permission: 'api:admin:storage:list', audit: 'file' },
      schema: {
        querystring: Type.Object({ ...cursorQuery, name: Type.Optional(searchText) }, { additionalProperties: false }),
        response: { 200: fileList },
      },
    },
    async function listFiles(request) {
      const { query } = request;
      const { items, ...page } = await files.list(query, null);
      const mayRead = await request.hasPermission('api:admin:system-parameters:read');
      const policy = mayRead ? showPolicy(await app.systemParameters.read(uploadPolicyParameters)) : null;
      return { data: items.map(showFile), page: showPage(query, page), policy };
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
      config: {
        access: 'admin',
        permission: 'api:admin:storage:delete',
        audit: { resource: 'file', changes: 'in-handler' },
      },
      schema: { params: idParams, response: { 204: Type.Null() } },
    },
    async function deleteFile(request, reply) {
      await files.remove(readId(request.params), runChangeOf(changes, request));
      return reply.code(204).send(null);
    },
  );
}
