import { addLogin, checks } from '../../team.mjs';

export default async function login(app) {
  addLogin(app, checks.false);
}
