import { Type } from 'typebox';
import { cursorListOf, cursorQuery, oneOf, searchText } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { showPage } from '../../storage/pages.js';
import { ownerOf } from './file-records.js';
import { receiveFile, UPLOAD, type UploadDependencies } from './receive-file.js';
import { ownFile, showOwnFile } from './shown-file.js';

/** `POST` and `GET /app/storage/files`: the files of an app user, under the same policy (UPL-11). */
export async function ownFileRoutes(app: App, { changes }: UploadDependencies): Promise<void> {
  app.post(
    '/app/storage/files',
    { config: { access: 'app', ...UPLOAD }, schema: { response: { 201: oneOf(ownFile) } } },
    async function uploadOwnFile(request, reply) {
      const stored = await receiveFile(app, changes, request, ownerOf(request.principal!));
      return reply.code(201).send({ data: showOwnFile(stored) });
    },
  );

  app.get(
    '/app/storage/files',
    {
      config: { access: 'app', audit: 'file' },
      schema: {
        querystring: Type.Object({ ...cursorQuery, name: Type.Optional(searchText) }, { additionalProperties: false }),
        response: { 200: cursorListOf(ownFile) },
      },
    },
    async function listOwnFiles({ query, principal }) {
      const { items, ...page } = await app.storedFiles.list(query, ownerOf(principal!));
      return { data: items.map(showOwnFile), page: showPage(query, page) };
    },
  );
}
