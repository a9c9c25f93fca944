export {
  type PurposeRequirements,
  purposeFaults,
  type TicketCheck,
  type TicketPurposes,
  type TicketRequirement,
  ticketPurposesRule,
} from './ticket-purposes.js';
export {
  createTickets,
  type IssuedTicket,
  type IssueTicketInput,
  type RedeemTicketInput,
  type Tickets,
  type TicketUse,
} from './tickets.js';
