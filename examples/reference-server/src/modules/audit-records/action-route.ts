import { Type } from 'typebox';
import { listOfAll } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { textsSchema } from '../../http/texts-schema.js';
import { ACTION_TEXTS } from './action-texts.js';

const action = Type.Object({ action: Type.String(), text: textsSchema }, { title: 'AuditAction' });

/** `GET /admin/audit-records/actions`: what the actions of the log mean (CON-8). */
export async function actionRoute(app: App): Promise<void> {
  const data = Object.entries(ACTION_TEXTS).map(([name, text]) => ({ action: name, text }));

  app.get(
    '/admin/audit-records/actions',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:audit-records:list',
        // A part of the documentation, the same on every server. It says nothing about the log.
        audit: false,
      },
      schema: { response: { 200: listOfAll(action) } },
    },
    async function listAuditActions() {
      return { data };
    },
  );
}
