import { defineParameterTable } from '@sallyport/system-parameters';

const hour = { type: 'INTEGER', minimum: 0, maximum: 24, isPublic: true } as const;

const orders = {
  itemsPerPage: {
    key: 'orders.items-per-page',
    type: 'INTEGER',
    default: 20,
    minimum: 1,
    maximum: 100,
    isPublic: true,
    description: 'Length of a page of the list',
  },
  opensAt: { ...hour, key: 'orders.opens-at', default: 8, description: 'Orders are taken from' },
  closesAt: { ...hour, key: 'orders.closes-at', default: 18, description: 'Orders are taken until' },
} as const;

const notices = {
  isShown: { key: 'notice.shown', type: 'BOOLEAN', default: false, isPublic: true, description: 'Show the notice' },
  text: { key: 'notice.text', type: 'STRING', default: '', maxLength: 80, isPublic: true, description: 'Notice' },
} as const;

/** The groups of the form: a heading, a table of parameters, and the units of its numbers. */
export const groups = [
  {
    heading: 'Orders',
    table: defineParameterTable({
      definitions: orders,
      rules: ({ opensAt, closesAt }) => (opensAt < closesAt ? [] : ['must leave an hour between opening and closing']),
    }),
    units: { itemsPerPage: 'items', opensAt: 'o’clock', closesAt: 'o’clock' },
  },
  { heading: 'Notice', table: defineParameterTable({ definitions: notices }), units: {} },
];
