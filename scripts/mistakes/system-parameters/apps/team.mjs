/** The parameters of the team. */
export const shop = {
  isOpen: {
    key: 'shop.open',
    type: 'BOOLEAN',
    default: true,
    isPublic: false,
    description: 'Whether orders are taken',
  },
};
