import { once, pay } from '../../options.mjs';

export default async function payments(app) {
  app.post('/payments', once, pay);
}
