import { pay, payment } from '../../options.mjs';

export default async function payments(app) {
  app.post('/payments', payment, pay);
}
