export { type PurposePermissions, purposeFaults, type TicketPurposes, ticketPurposesRule } from './ticket-purposes.js';
export {
  createTickets,
  type IssuedTicket,
  type IssueTicketInput,
  type RedeemTicketInput,
  type Tickets,
  type TicketUse,
} from './tickets.js';
