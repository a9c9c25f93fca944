import { defineModule } from '../../http/module.js';
import { ticketOperations } from './docs.js';
import { ticketRoute } from './routes.js';

export const tickets = defineModule({
  name: 'tickets',
  operations: ticketOperations,
  routes: ticketRoute,
});
