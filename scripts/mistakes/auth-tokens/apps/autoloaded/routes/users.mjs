export default async function users(app) {
  app.get('/users', { config: { access: 'admin' } }, async () => [{ name: 'Ada', salary: 90_000 }]);
}
