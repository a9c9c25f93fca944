import type { OperationTexts } from '../../http/operation-text.js';
import { administrationOperations } from './operations/administration.js';
import { appUserOperations } from './operations/app-users.js';
import { fileOperations } from './operations/files.js';
import { recordOperations } from './operations/records.js';
import { serviceOperations } from './operations/service.js';
import { signInOperations } from './operations/sign-in.js';

/** Every route of the server. A test holds it to the routes that there are. */
export const operations: OperationTexts = {
  ...signInOperations,
  ...administrationOperations,
  ...appUserOperations,
  ...recordOperations,
  ...fileOperations,
  ...serviceOperations,
};
